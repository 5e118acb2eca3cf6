"""A rollout played live, and stored ones shown: what the person reads."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console

from policy_jax.commands.show import Filter, show
from policy_jax.commands.watching import watch
from policy_jax.data.tasks import Task
from policy_jax.errors import LeapError
from policy_jax.rollout.dcp import Thresholds
from policy_jax.rollout.scheduler import RolloutConfig
from policy_jax.telemetry import write_rollouts
from tests.policy_jax.rollout.test_scheduler import CharTokenizer, ScriptedSampler, SlowVerdicts
from tests.policy_jax.telemetry.test_store_and_metrics import some_rollout

CONFIG = RolloutConfig(
    group_size=1,
    max_turns=3,
    max_new_tokens=40,
    max_feedback_tokens=60,
    max_context=1000,
    thresholds=Thresholds.of(0.0, 1.0, 1),
    prune=False,
)


def test_a_live_rollout_is_printed_turn_by_turn() -> None:
    console = Console(file=io.StringIO(), width=100, color_system=None)
    trajectory = watch(
        ScriptedSampler([[["f1", "#", "p3"]]]),
        SlowVerdicts(np.random.default_rng(0)),
        CharTokenizer(),
        CONFIG,
        Task("t0", "class Model: ..."),
        console,
    )
    assert trajectory.solved_at == 3
    assert isinstance(console.file, io.StringIO)
    said = console.file.getvalue()
    parts = [
        "turn 1",
        "class Model: ...",
        "f1",
        "→ FAILED",
        "turn 2",
        "wrong: f1",
        "→ cut by length",
        "turn 3",
        "write a shorter one",
        "p3",
        "→ PASSED",
    ]
    place = 0
    for part in parts:
        assert part in said[place:], f"{part!r} is not where it should be"
        place = said.index(part, place) + len(part)
    assert said.count("class Model") == 1  # only what is new is printed


@pytest.fixture
def run(tmp_path: Path) -> Path:
    for step in (1, 2):
        write_rollouts(tmp_path, [some_rollout(step=step, member=m) for m in range(2)])
    return tmp_path


def test_a_pipe_gets_whole_plain_lines(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show(run, Filter())
    shown = capsys.readouterr().out
    assert shown.count("── train") == 4
    for part in (
        "── train 1 · unary/cos · group 2.0 · DCP debug · score +0.50 · passed at turn 2",
        "  Write it.",
        "  «ü»",
        "→ WRONG_VALUES off  (2 tokens, 0.5 s, advantage -0.25)",
        "→ PASSED  (0 tokens, 0.0 s, advantage +0.50)",
    ):
        assert part in shown.splitlines()


@pytest.mark.parametrize(
    ("wanted", "count"),
    [
        (Filter(step=1), 2),
        (Filter(limit=3), 3),
        (Filter(task="cos", turns=2), 4),
        (Filter(outcome="wrong_values"), 4),
        (Filter(outcome="PASSED", stage="train"), 4),
    ],
)
def test_filters(run: Path, wanted: Filter, count: int, capsys: pytest.CaptureFixture[str]) -> None:
    show(run, wanted)
    assert capsys.readouterr().out.count("── train") == count


@pytest.mark.parametrize("wanted", [Filter(turns=1), Filter(outcome="failed"), Filter(task="sin")])
def test_nothing_found_is_one_sentence(run: Path, wanted: Filter) -> None:
    with pytest.raises(LeapError, match="no stored rollout matches; the stages there are train"):
        show(run, wanted)
