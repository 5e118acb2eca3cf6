"""A whole run, start to summary, and the same run stopped in every stage.

The verifier is a small gRPC server of the test that knows the right answer;
everything else is what `leap train` uses.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path

import grpc
import jax
import numpy as np
import pytest

from policy_jax import control, evaluate, train
from policy_jax.config import RunConfig
from policy_jax.data.tasks import Task
from policy_jax.errors import LeapError
from policy_jax.rollout.prompts import feedback_prompt, first_prompt
from policy_jax.run.locating import load_policy
from policy_jax.run.stopping import StopSignal
from policy_jax.telemetry import Progress, read_rollouts
from protos.leap.verifier.v1 import verifier_pb2 as pb
from protos.leap.verifier.v1 import verifier_pb2_grpc as pb_grpc

REFERENCE = "class Model: ...  # {}\ndef get_inputs(): ...\ndef get_init_inputs(): ..."
TASKS = [
    {"id": f"t{i}", "reference": REFERENCE.format(i), "split": split}
    for i, split in enumerate(["train", "train", "heldout", "heldout"])
]
ANSWERS = ("```cuda\ngood\n```", "```cuda\nbad\n```")
NEVER = StopSignal()


@pytest.fixture(scope="module", autouse=True)
def _compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Every part of a run that is stopped and resumed builds the same programs again."""
    knobs = {
        "jax_compilation_cache_dir": str(tmp_path_factory.mktemp("jax")),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
        "jax_persistent_cache_min_entry_size_bytes": 0,
    }
    before = {name: getattr(jax.config, name) for name in knobs}
    for name, value in knobs.items():
        jax.config.update(name, value)
    yield
    for name, value in before.items():
        jax.config.update(name, value)


class _Verifier(pb_grpc.VerifierServicer):
    def GetCapabilities(self, request, context) -> pb.GetCapabilitiesResponse:
        return pb.GetCapabilitiesResponse(provenance=pb.Provenance(verifier_version="test"))

    def Verify(self, request, context) -> pb.VerifyResponse:
        if request.submissions[0].source == "good\n":
            verdict = pb.Verdict(outcome=pb.OUTCOME_PASSED)
        else:
            verdict = pb.Verdict(
                outcome=pb.OUTCOME_FAILED, code=pb.CODE_WRONG_VALUES, feedback="wrong"
            )
        return pb.VerifyResponse(request_id=request.request_id, verdicts=[verdict])


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = grpc.server(ThreadPoolExecutor(4))
    pb_grpc.add_VerifierServicer_to_server(_Verifier(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"127.0.0.1:{port}"
    server.stop(None).wait()


def _config(directory: Path, address: str, name: str) -> RunConfig:
    tasks = directory / "tasks.jsonl"
    tasks.write_text("".join(json.dumps(task) + "\n" for task in TASKS))
    chats = directory / "chats.jsonl"
    chats.write_text(
        "".join(
            json.dumps({"task_id": task["id"], "messages": _chat(task, *answers)}) + "\n"
            for task in TASKS
            for answers in product(ANSWERS, ANSWERS)
        )
    )
    return RunConfig.model_validate(
        {
            "run": {"name": name, "dir": str(directory / "runs")},
            "tasks": {"source": str(tasks)},
            "model": {"hidden_size": 32, "intermediate_size": 64, "num_layers": 1, "num_heads": 2,
                      "num_kv_heads": 2, "head_dim": 16},
            "tokenizer": {"vocab_size": 320},
            "sft": {"corpus": str(chats), "updates": 100, "warmup_updates": 5, "eval_every": 50},
            "sampler": {"slots": 8, "max_context": 256, "max_new_tokens": 12, "chunk": 4,
                        "context_ladder": [256], "batch_ladder": [8], "prefill_ladder": [2]},
            "rollout": {"prompts_per_step": 2, "group_size": 4, "max_feedback_tokens": 8},
            "dcp": {"t_min": 2, "t_max": 4},
            "learner": {"learning_rate": 0.003, "warmup_updates": 1, "steps": 3,
                        "micro_batch_tokens": 2048},
            "verifier": {"address": address},
            "evaluation": {"samples_per_task": 4},
        }
    )  # fmt: skip


def _chat(task: dict[str, str], first: str, second: str) -> list[dict]:
    return [
        {"role": "user", "content": first_prompt(Task(task["id"], task["reference"]))},
        {"role": "assistant", "content": first, "train": True},
        {"role": "user", "content": feedback_prompt("wrong")},
        {"role": "assistant", "content": second, "train": True},
    ]


class _StopIn(StopSignal):
    """Asks to stop once `stage` has looked `looks` times whether it should."""

    def __init__(self, stage: str, looks: int, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__()
        self.left = looks
        self.current = ""
        enter = Progress.stage

        def remember(display: Progress, name: str, *rest: int) -> None:
            self.current = name
            enter(display, name, *rest)

        monkeypatch.setattr(Progress, "stage", remember)
        self.wanted = stage

    def should_stop(self) -> bool:
        if self.current.startswith(self.wanted):
            self.left -= 1
        return self.left < 0


@pytest.mark.slow
def test_run_stopped_in_every_stage_is_the_run(
    address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = _config(tmp_path, address, "whole")
    train.run(whole, NEVER)
    assert "Acc@3" in capsys.readouterr().out
    cut = _config(tmp_path, address, "cut")
    for stage, looks in [
        ("cold start", 30), ("evaluate before", 3), ("LEAP", 12), ("evaluate after", 3)
    ]:  # fmt: skip
        with pytest.MonkeyPatch.context() as patch:
            stop = _StopIn(stage, looks, patch)
            train.run(cut, stop)
            assert stop.left < 0, f"{stage} never looked whether it should stop"
        assert not (cut.directory / "summary.json").exists()
        assert "the same command goes on" in capsys.readouterr().out
    train.run(cut, NEVER)

    summaries = [json.loads((c.directory / "summary.json").read_text()) for c in (whole, cut)]
    for key in ("before", "after", "gain", "dcp"):
        assert summaries[0][key] == summaries[1][key]
    policies = [load_policy(c.directory)[0].params for c in (whole, cut)]
    jax.tree.map(np.testing.assert_array_equal, *policies)
    assert summaries[0]["before"]["rollouts"] == 8
    assert summaries[0]["seconds"]["total"] > 0
    assert (whole.directory / "result.png").stat().st_size > 0

    # A finished run is not run again; a different one is refused.
    train.run(cut, NEVER)
    assert "is finished" in capsys.readouterr().out
    other = cut.model_copy(update={"run": cut.run.model_copy(update={"seed": 7})})
    with pytest.raises(LeapError, match=r"run\.seed = 0, and now it is 7"):
        train.run(other, NEVER)

    # The control continues the cold start and enters the summary.
    control.run(whole.directory, NEVER)
    summary = json.loads((whole.directory / "summary.json").read_text())
    assert summary["control"]["rollouts"] == 8
    assert summary["after"] == summaries[0]["after"]

    # `leap eval` with the run's own knobs measures what the run measured.
    evaluate.run(whole.directory, (), NEVER)
    (result,) = whole.directory.glob("evaluations/*/result.json")
    assert json.loads(result.read_text()) == summary["after"]


def test_evaluation_never_prunes(address: str, tmp_path: Path) -> None:
    rules = evaluate.assembly.evaluation_rollouts(_config(tmp_path, address, "x"))
    assert not rules.prune
    assert rules.group_size == 4


def test_tasks_without_a_split_are_one_sentence(address: str, tmp_path: Path) -> None:
    config = _config(tmp_path, address, "x")
    Path(config.tasks.source).write_text(json.dumps(TASKS[0]) + "\n")
    with pytest.raises(LeapError, match="no heldout tasks"):
        train.run(config, NEVER)
    Path(config.tasks.source).write_text(json.dumps(TASKS[2]) + "\n")
    with pytest.raises(LeapError, match="no tasks of the split train"):
        train.run(config, NEVER)
    assert not list(read_rollouts(config.directory))
