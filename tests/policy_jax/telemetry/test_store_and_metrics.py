"""What is written is read back, also after a kill in mid-write."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest

from policy_jax.telemetry import (
    MetricsWriter,
    PhaseTimer,
    StoredRollout,
    StoredTurn,
    read_metrics,
    read_rollouts,
    write_json,
    write_rollouts,
)


def some_rollout(stage: str = "train", step: int = 3, member: int = 0) -> StoredRollout:
    turns = (
        StoredTurn(
            prompt="Write it.",
            response="```cuda\n«ü»\n```",
            outcome="failed",
            code="WRONG_VALUES",
            message="off",
            feedback="line 3",
            advantage=-0.25,
            seconds=0.5,
            digest="sha256:0",
            weight_version=7,
            prompt_tokens=(1, 2),
            tokens=(3, 4),
            logprobs=(-0.5, -1.25),
        ),
        StoredTurn(prompt="Fix it.", response="x", outcome="passed", advantage=0.5),
    )
    return StoredRollout(stage, step, "unary/cos", 2, member, "debug", turns, score=0.5)


def test_rollouts_come_back_as_they_were(tmp_path: Path) -> None:
    stored = [some_rollout(member=m) for m in range(3)]
    write_rollouts(tmp_path, stored)
    assert list(read_rollouts(tmp_path)) == stored
    assert stored[0].solved_at == 2


def test_stage_and_step_select(tmp_path: Path) -> None:
    for stage, step in (("train", 2), ("train", 10), ("before", 0)):
        write_rollouts(tmp_path, [some_rollout(stage, step)])
    assert [(r.stage, r.step) for r in read_rollouts(tmp_path)] == [
        ("before", 0),
        ("train", 2),
        ("train", 10),
    ]
    assert [r.step for r in read_rollouts(tmp_path, "train")] == [2, 10]
    assert [r.step for r in read_rollouts(tmp_path, "train", 10)] == [10]


def test_a_step_done_again_replaces_itself(tmp_path: Path) -> None:
    write_rollouts(tmp_path, [some_rollout(member=m) for m in range(3)])
    write_rollouts(tmp_path, [some_rollout(member=9)])
    assert [r.member for r in read_rollouts(tmp_path)] == [9]


def test_a_kill_in_mid_write_leaves_the_rest_readable(tmp_path: Path) -> None:
    write_rollouts(tmp_path, [some_rollout(step=1)])
    half = gzip.compress(b"half a line")[:10]
    (tmp_path / "rollouts" / "train-000002.jsonl.tmp").write_bytes(half)
    assert [r.step for r in read_rollouts(tmp_path)] == [1]


def test_a_failed_write_keeps_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_rollouts(tmp_path, [some_rollout()])

    def full(*args: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("policy_jax.telemetry.store._as_row", full)
    with pytest.raises(OSError, match="No space"):
        write_rollouts(tmp_path, [some_rollout(member=5)])
    monkeypatch.undo()
    assert [r.member for r in read_rollouts(tmp_path)] == [0]
    assert [p.name for p in (tmp_path / "rollouts").iterdir()] == ["train-000003.jsonl.gz"]


def test_metrics_are_flat_numbers_and_the_last_wins(tmp_path: Path) -> None:
    with MetricsWriter(tmp_path) as metrics:
        metrics.write("train", 0, {"loss": np.float32(0.5), "verdicts": {"PASSED": 3}})
        metrics.write("sft", 0, {"loss": 2.0})
    with MetricsWriter(tmp_path) as metrics:
        metrics.write("train", 1, {"loss": 0.25})
        metrics.write("train", 0, {"loss": 0.75})
    with (tmp_path / "metrics.jsonl").open("a") as file:
        file.write('{"stage": "train", "st')  # killed here
    first, second = read_metrics(tmp_path, "train")
    assert (first["loss"], second["loss"]) == (0.75, 0.25)
    assert read_metrics(tmp_path, "sft")[0]["loss"] == 2.0
    assert list((tmp_path / "tensorboard").iterdir())
    assert read_metrics(tmp_path / "none", "train") == []


def test_tensorboard_can_read_what_is_written(tmp_path: Path) -> None:
    from tensorboardX.proto.event_pb2 import Event

    with MetricsWriter(tmp_path) as metrics:
        metrics.write("train", 4, {"loss": 0.5})
    (path,) = (tmp_path / "tensorboard").glob("events.out.tfevents.*")
    data, events = path.read_bytes(), []
    while data:  # length (8 bytes), its checksum (4), the event, its checksum (4)
        length = int.from_bytes(data[:8], "little")
        events.append(Event.FromString(data[12 : 12 + length]))
        data = data[16 + length :]
    assert events[0].file_version == "brain.Event:2"
    (value,) = events[1].summary.value
    assert (events[1].step, value.tag, value.simple_value) == (4, "train/loss", 0.5)


def test_a_full_disk_is_an_error_and_not_a_wait(tmp_path: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full")
    metrics = MetricsWriter(tmp_path)
    metrics._file.close()
    metrics._file = Path("/dev/full").open("w")  # noqa: SIM115
    with pytest.raises(OSError, match="No space"):
        metrics.write("train", 0, {"loss": 1.0})
    with pytest.raises(OSError, match="No space"):
        metrics.close()


def test_metrics_after_a_torn_line_start_on_their_own(tmp_path: Path) -> None:
    (tmp_path / "metrics.jsonl").write_text('{"stage": "tr')
    with MetricsWriter(tmp_path) as metrics:
        metrics.write("train", 0, {"loss": 1.0})
    assert [record["loss"] for record in read_metrics(tmp_path, "train")] == [1.0]


def test_phases_nest_and_sum_to_the_total() -> None:
    now = [100.0]
    timer = PhaseTimer(clock=lambda: now[0])
    now[0] += 1  # other
    with timer.phase("train"):
        now[0] += 2
        with timer.phase("verify"):
            now[0] += 4
        now[0] += 8
    with timer.phase("train"):
        now[0] += 16
    expected = {"train": 26.0, "verify": 4.0, "other": 1.0, "total": 31.0}
    assert timer.seconds == expected

    now[0] = 0.0  # another process, another clock
    resumed = PhaseTimer(timer_state := expected, clock=lambda: now[0])
    with resumed.phase("verify"):
        now[0] += 3
    assert resumed.seconds == {**timer_state, "verify": 7.0, "total": 34.0}


def test_json_is_written_in_one_piece(tmp_path: Path) -> None:
    path = write_json(tmp_path / "a.json", {"a": 1})
    with pytest.raises(TypeError):
        write_json(path, {"a": object()})
    assert path.read_text() == '{\n  "a": 1\n}\n'
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]
