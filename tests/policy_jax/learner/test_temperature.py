"""The sampler's stored log-probs are the learner's, at a temperature that is not 1.

Three-turn trajectories, from the KV-cache sampler on one side and the
learner's teacher-forced pass over the whole conversation on the other.
"""

from collections.abc import Hashable

import jax
import numpy as np
import pytest

from policy_jax.assembly import build_engine, build_learner, decoder_config
from policy_jax.config import ModelSection, RunConfig, RunSection, SamplerSection
from policy_jax.data.tasks import Task
from policy_jax.learner.rows import CreditConfig, Row, rows_of
from policy_jax.models import init_params
from policy_jax.rollout.dcp import Thresholds
from policy_jax.rollout.scheduler import RolloutConfig, Scheduler
from policy_jax.rollout.trajectories import Outcome, TurnVerdict

VOCAB = 50


class Bytes:
    """Characters as tokens 4 … 49."""

    user_id, assistant_id, end_id = 1, 2, 3

    def encode(self, text: str) -> list[int]:
        return [4 + ord(c) % 46 for c in text]

    def decode(self, tokens) -> str:
        return "".join(chr(48 + t) for t in tokens)


class AlwaysFailed:
    """Every submission fails, so that every rollout takes all its turns."""

    def __init__(self) -> None:
        self.tickets: list[Hashable] = []

    def submit(self, ticket: Hashable, task: Task, source: str) -> None:
        self.tickets.append(ticket)

    def poll(self, timeout: float) -> list[tuple[Hashable, TurnVerdict]]:
        tickets, self.tickets = self.tickets, []
        return [(t, TurnVerdict(Outcome.FAILED, "WRONG_VALUES", feedback="no")) for t in tickets]


def _config(temperature: float) -> RunConfig:
    return RunConfig(
        run=RunSection(name="test"),
        model=ModelSection(
            hidden_size=32, intermediate_size=64, num_layers=2, num_heads=2, num_kv_heads=1,
            head_dim=16, qk_norm=True,
        ),
        sampler=SamplerSection(
            slots=8, max_context=160, max_new_tokens=16, chunk=4, temperature=temperature,
            context_ladder=(160,), batch_ladder=(8,), prefill_ladder=(4,),
        ),
    )  # fmt: skip


def _three_turn_rows(config: RunConfig, params) -> list[Row]:
    engine = build_engine(config, decoder_config(config, VOCAB), end_id=3)
    engine.set_weights(params, version=0)
    rollouts = RolloutConfig(4, 3, 16, 8, 160, Thresholds.of(0, 4, 4), prune=False)
    scheduler = Scheduler(engine, AlwaysFailed(), Bytes(), rollouts)
    groups = scheduler.run([Task("a", "reference"), Task("b", "x")], step=3)
    assert all(len(t.turns) == 3 for g in groups for t in g.trajectories)
    return [row for g in groups for row in rows_of(g, CreditConfig(train_truncated=True))]


def _gap(rows: list[Row], params, temperature: float) -> float:
    """The largest |log π_learner − log π_sampler| over trained tokens."""
    config = _config(temperature)
    learner = build_learner(config, decoder_config(config, VOCAB))
    filled = learner.with_logprobs(params, rows)
    return max(
        float(np.max(np.abs(row.old_logprobs - row.sampler_logprobs)[row.loss_mask > 0]))
        for row in filled
    )


@pytest.mark.slow
def test_sampler_and_learner_agree_at_temperature() -> None:
    config = _config(temperature=0.7)
    _, params = init_params(decoder_config(config, VOCAB), jax.random.key(0))
    params = jax.tree.map(lambda leaf: leaf * 1.5, params)  # far from uniform
    rows = _three_turn_rows(config, params)
    assert _gap(rows, params, 0.7) < 1e-4
    # A learner that did not divide by the temperature would be seen.
    assert _gap(rows, params, 1.0) > 0.1
