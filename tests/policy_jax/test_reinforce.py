"""LEAP's stage on a policy that already writes one of two answers.

The verdicts are the test's own (the good answer passes); sampler, learner,
checkpoints and stored rollouts are the real ones.
"""

from __future__ import annotations

import io
import json
import time
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

import jax
import numpy as np
import pytest
from rich.console import Console

from policy_jax import assembly, sft
from policy_jax.config import RunConfig, SftSection
from policy_jax.data.tasks import Task
from policy_jax.errors import LeapError
from policy_jax.reinforce import Reinforced, TaskOrder, reinforce
from policy_jax.rollout.prompts import feedback_prompt, first_prompt
from policy_jax.rollout.scheduler import Interrupted
from policy_jax.rollout.trajectories import Outcome, TurnVerdict
from policy_jax.run.context import RunContext
from policy_jax.run.folder import RunFolder
from policy_jax.run.policy import Policy
from policy_jax.sampling import Engine
from policy_jax.telemetry import (
    MetricsWriter,
    PhaseTimer,
    Progress,
    read_metrics,
    read_rollouts,
)

TASKS = [Task(f"t{i}", f"reference {i}") for i in range(3)]
ANSWERS = ("```cuda\ngood\n```", "```cuda\nbad\n```")


class GoodPasses:
    """Verdicts at once; asks to stop once `stop_after` were given."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.ready: list[tuple[Hashable, TurnVerdict]] = []
        self.given = 0
        self.stop_after = stop_after

    def submit(self, ticket: Hashable, task: Task, source: str) -> None:
        outcome = Outcome.PASSED if source == "good\n" else Outcome.FAILED
        self.ready.append((ticket, TurnVerdict(outcome, outcome.name, feedback="wrong")))

    def poll(self, timeout: float) -> list[tuple[Hashable, TurnVerdict]]:
        ready, self.ready = self.ready, []
        self.given += len(ready)
        return ready

    def should_stop(self) -> bool:
        return self.stop_after is not None and self.given >= self.stop_after


def _config(directory: Path, **learner) -> RunConfig:
    return RunConfig.model_validate(
        {
            "run": {"name": "test", "dir": str(directory)},
            "model": {
                "hidden_size": 32,
                "intermediate_size": 64,
                "num_layers": 1,
                "num_heads": 2,
                "num_kv_heads": 2,
                "head_dim": 16,
            },
            "sampler": {
                "slots": 8,
                "max_context": 128,
                "max_new_tokens": 12,
                "chunk": 4,
                "context_ladder": [128],
                "batch_ladder": [8],
                "prefill_ladder": [2],
            },
            "rollout": {"prompts_per_step": 2, "group_size": 4, "max_feedback_tokens": 8},
            "dcp": {"t_min": 2, "t_max": 4},
            "learner": {
                "learning_rate": 0.003,
                "warmup_updates": 1,
                "steps": 4,
                "micro_batch_tokens": 1024,
                **learner,
            },
            "checkpoint": {"every_steps": 100},
        }
    )


@contextmanager
def _context(config: RunConfig, should_stop=lambda: False) -> Iterator[RunContext]:
    folder = RunFolder.claim(config)
    display = Progress("test", console=Console(file=io.StringIO()))
    with MetricsWriter(folder.path) as metrics:
        yield RunContext(config, folder, PhaseTimer(), display, metrics, should_stop)


def _chat(task: Task, answers: tuple[str, str]) -> dict:
    messages = [
        {"role": "user", "content": first_prompt(task)},
        {"role": "assistant", "content": answers[0], "train": True},
        {"role": "user", "content": feedback_prompt("wrong")},
        {"role": "assistant", "content": answers[1], "train": True},
    ]
    return {"task_id": task.id, "messages": messages}


@pytest.fixture(scope="module")
def cold_start(tmp_path_factory: pytest.TempPathFactory) -> Policy:
    """A policy that answers good or bad with about equal chances, at every turn."""
    directory = tmp_path_factory.mktemp("cold")
    chats = [_chat(task, answers) for task in TASKS for answers in product(ANSWERS, ANSWERS)]
    corpus = directory / "chats.jsonl"
    corpus.write_text("".join(json.dumps(chat) + "\n" for chat in chats * 2))
    knobs = {"corpus": str(corpus), "updates": 120, "warmup_updates": 5, "eval_every": 1000}
    config = _config(directory).model_copy(update={"sft": SftSection(**knobs)})
    with _context(config) as context:
        return sft.cold_start(context)


@pytest.fixture(scope="module")
def engine(cold_start: Policy, tmp_path_factory: pytest.TempPathFactory) -> Engine:
    """One sampler for all tests: compiled once."""
    config = _config(tmp_path_factory.mktemp("engine"))
    return assembly.build_engine(config, cold_start.model, cold_start.tokenizer.end_id)


def _reinforce(
    config: RunConfig,
    cold_start: Policy,
    engine: Engine,
    verdicts: GoodPasses,
    reserve: float = 0.0,
) -> Reinforced:
    with _context(config, verdicts.should_stop) as context:
        return reinforce(context, cold_start, TASKS, engine, verdicts, reserve)


def test_learns_what_passes(cold_start: Policy, engine: Engine, tmp_path: Path) -> None:
    config = _config(tmp_path, steps=16)
    result = _reinforce(config, cold_start, engine, GoodPasses())
    records = read_metrics(config.directory, "train")
    assert [record["step"] for record in records] == list(range(16))
    early = np.mean([record["passed@1"] for record in records[:3]])
    late = np.mean([record["passed@1"] for record in records[-3:]])
    assert early < 0.8
    assert late > 0.9
    assert sum(result.dcp.values()) == 32
    assert max(record.get("clip_fraction_last", 0) for record in records) > 0
    assert all(record["logprob_gap_max"] < 1e-3 for record in records)
    rollouts = list(read_rollouts(config.directory, "train"))
    assert len(rollouts) == 16 * 2 * 4
    assert any(turn.advantage > 0 for r in rollouts for turn in r.turns)
    # Asked for again, a finished stage only reads its checkpoint.
    again = _reinforce(config, cold_start, engine, GoodPasses())
    assert again.steps == 16
    jax.tree.map(np.testing.assert_array_equal, again.policy.params, result.policy.params)


@pytest.mark.slow
def test_stopped_and_resumed_is_the_same_run_to_the_bit(
    cold_start: Policy, engine: Engine, tmp_path: Path
) -> None:
    whole = _reinforce(_config(tmp_path / "whole"), cold_start, engine, GoodPasses())
    cut = _config(tmp_path / "cut")
    with pytest.raises(Interrupted):
        _reinforce(cut, cold_start, engine, GoodPasses(stop_after=25))
    while engine.pending():  # what the interrupted step had under way
        engine.step()
    saved = RunFolder(cut.directory).checkpoints("rl").latest()
    assert saved is not None and 0 < saved < 4
    resumed = _reinforce(cut, cold_start, engine, GoodPasses())
    jax.tree.map(np.testing.assert_array_equal, resumed.policy.params, whole.policy.params)
    assert resumed.dcp == whole.dcp
    assert resumed.sampled_tokens == whole.sampled_tokens


def test_verifier_that_judges_nothing_stops_the_stage(
    cold_start: Policy, engine: Engine, tmp_path: Path
) -> None:
    class Broken(GoodPasses):
        def submit(self, ticket: Hashable, task: Task, source: str) -> None:
            self.ready.append((ticket, TurnVerdict(Outcome.LOST, "INTERNAL", "out of order")))

    with pytest.raises(LeapError, match=r"judged none of 8 rollouts \(INTERNAL: out of order\)"):
        _reinforce(_config(tmp_path), cold_start, engine, Broken())


def test_rate_falls_to_zero_over_the_last_share_of_the_steps(
    cold_start: Policy, engine: Engine, tmp_path: Path
) -> None:
    config = _config(tmp_path, decay=0.5)
    _reinforce(config, cold_start, engine, GoodPasses())
    rates = [record["learning_rate"] for record in read_metrics(config.directory, "train")]
    np.testing.assert_allclose(rates, [0.003, 0.003, 0.003, 0.0015])


def test_ends_in_time_for_what_follows(cold_start: Policy, engine: Engine, tmp_path: Path) -> None:
    config = _config(tmp_path, steps=10**6)
    run = config.run.model_copy(update={"time_budget_seconds": 100.0})
    config = config.model_copy(update={"run": run})
    began = time.monotonic()
    result = _reinforce(config, cold_start, engine, GoodPasses(), reserve=97.0)
    assert 0 < result.steps < 10**5
    assert time.monotonic() - began >= 3


def test_budget_without_time_for_a_step_is_refused(
    cold_start: Policy, engine: Engine, tmp_path: Path
) -> None:
    config = _config(tmp_path)
    run = config.run.model_copy(update={"time_budget_seconds": 100.0})
    config = config.model_copy(update={"run": run})
    with pytest.raises(LeapError, match="time_budget_seconds = 100 leaves no time for LEAP"):
        _reinforce(config, cold_start, engine, GoodPasses(), reserve=100.0)


def test_tasks_come_in_shuffled_epochs() -> None:
    order = TaskOrder([Task(str(i), "") for i in range(7)], seed=3)
    names = [task.id for step in range(7) for task in order.batch(step, 4)]
    epochs = [names[start : start + 7] for start in range(0, 28, 7)]
    assert all(sorted(epoch) == list("0123456") for epoch in epochs)
    assert epochs[0] != epochs[1]
    assert TaskOrder([Task(str(i), "") for i in range(7)], seed=3).batch(5, 4)[0].id == names[20]
