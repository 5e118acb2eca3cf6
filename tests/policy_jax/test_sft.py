"""Supervised training: it learns, stops, resumes to the bit, and says what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from rich.console import Console

from policy_jax import sft
from policy_jax.config import RunConfig, SftSection
from policy_jax.errors import LeapError
from policy_jax.rollout.scheduler import Interrupted
from policy_jax.run.context import RunContext
from policy_jax.run.folder import RunFolder
from policy_jax.run.policy import Policy
from policy_jax.telemetry import MetricsWriter, PhaseTimer, Progress, read_metrics

OPERATORS = ("relu", "tanh", "exp", "abs", "sin", "cos", "log", "sqrt")


@pytest.fixture
def chats(tmp_path: Path) -> Path:
    """Dialogues whose answer is a function of the question."""
    path = tmp_path / "chats.jsonl"
    rows = []
    for number in range(64):
        first, second = OPERATORS[number % 8], OPERATORS[number // 8]
        question = {"role": "user", "content": f"y = {first}({second}(x))"}
        answer = {"role": "assistant", "content": f"v = {second}f(v);\nv = {first}f(v);\n"}
        rows.append({"task_id": f"{first} {second}", "messages": [question, answer]})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def config(folder: Path, chats: Path, name: str = "run", **knobs: Any) -> RunConfig:
    return RunConfig.model_validate(
        {
            "run": {"name": name, "dir": str(folder)},
            "model": {
                "hidden_size": 16,
                "intermediate_size": 24,
                "num_layers": 1,
                "num_heads": 2,
                "num_kv_heads": 1,
                "head_dim": 8,
            },
            "tokenizer": {"vocab_size": 300},
            "sampler": {"max_context": 64, "max_new_tokens": 8, "slots": 16},
            "rollout": {"max_turns": 1},
            "sft": {
                "corpus": str(chats),
                "updates": 24,
                "eval_every": 8,
                "warmup_updates": 2,
                "learning_rate": 1e-2,
            }
            | knobs,
        }
    )


def train(made: RunConfig, should_stop: Callable[[], bool] = lambda: False) -> Policy:
    folder = RunFolder.claim(made)
    display = Progress("test", console=Console(quiet=True))
    with MetricsWriter(folder.path) as metrics:
        context = RunContext(made, folder, PhaseTimer(), display, metrics, should_stop)
        return sft.cold_start(context)


def stop_after(polls: int) -> Callable[[], bool]:
    left = iter(range(polls))
    return lambda: next(left, None) is None


def assert_same_weights(left: Policy, right: Policy) -> None:
    for a, b in zip(jax.tree.leaves(left.params), jax.tree.leaves(right.params), strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


def heldout(folder: Path) -> dict[int, float]:
    lines = read_metrics(folder, "sft")
    return {line["step"]: line["heldout_loss"] for line in lines if "heldout_loss" in line}


def test_loss_falls_and_resume_is_exact(tmp_path: Path, chats: Path) -> None:
    straight = train(config(tmp_path, chats, "straight"))
    losses = heldout(tmp_path / "straight")
    assert list(losses) == [8, 16, 24]
    assert losses[24] < 0.6 * losses[8]

    interrupted = config(tmp_path, chats, "interrupted")
    for polls in (5, 9):
        with pytest.raises(Interrupted):
            train(interrupted, stop_after(polls))
    resumed = train(interrupted)
    assert_same_weights(resumed, straight)
    assert heldout(tmp_path / "interrupted") == losses

    # A finished stage is not trained again.
    assert_same_weights(train(interrupted, should_stop=lambda: True), straight)


def test_training_ends_when_the_heldout_loss_no_longer_falls(tmp_path: Path, chats: Path) -> None:
    # At this rate the loss soon rises.
    made = config(tmp_path, chats, learning_rate=3.0, updates=200, eval_every=2, patience=2)
    policy = train(made)
    losses = heldout(tmp_path / "run")
    assert len(losses) < 100
    best = min(losses, key=lambda step: losses[step])
    assert max(losses) > best
    kept = Policy.load(RunFolder(tmp_path / "run").checkpoints("sft_best"))
    assert_same_weights(policy, kept)
    assert RunFolder(tmp_path / "run").checkpoints("sft_best").latest() == best


def test_time_ends_training(tmp_path: Path, chats: Path) -> None:
    train(config(tmp_path, chats, updates=10**6, eval_every=10**5, max_seconds=0.5))
    state = RunFolder(tmp_path / "run").checkpoints("sft").manifest().state
    assert state["finished"]
    assert 0 < state["update"] < 10**5


def test_dialogues_that_do_not_fit(tmp_path: Path, chats: Path) -> None:
    long = {"role": "user", "content": " ".join(str(7919 * n) for n in range(200))}
    answer = {"role": "assistant", "content": "v;"}
    chats.write_text(json.dumps({"messages": [long, answer]}))
    with pytest.raises(LeapError, match=r"no dialogue fits into sampler\.max_context = 64"):
        train(config(tmp_path, chats))


def test_learning_rate_warms_up_holds_and_falls_to_zero() -> None:
    knobs = SftSection(learning_rate=1.0, warmup_updates=10, updates=100)
    rates = [float(sft.learning_rate(knobs, update, 0.0)) for update in range(100)]
    np.testing.assert_allclose(rates[:11], [(n + 1) / 10 for n in range(10)] + [1], rtol=1e-6)
    np.testing.assert_allclose(rates[10:61], 1.0)
    np.testing.assert_allclose(rates[80], 0.5, rtol=1e-6)
    np.testing.assert_allclose(rates[99], 0.01 / 0.4, rtol=1e-5)
    timed = SftSection(learning_rate=1.0, warmup_updates=1, updates=10**6, max_seconds=100.0)
    np.testing.assert_allclose(float(sft.learning_rate(timed, 50, 80.0)), 0.5, rtol=1e-6)
