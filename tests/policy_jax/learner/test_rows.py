"""Masks and advantages land on the tokens that they belong to."""

import numpy as np

from policy_jax.learner.rows import CreditConfig, advantage_metrics, rows_of
from policy_jax.rollout.dcp import Decision
from policy_jax.rollout.trajectories import Group, Outcome, Trajectory, Turn, TurnVerdict


def _turn(prompt: tuple[int, ...], said: tuple[int, ...], outcome: Outcome, cut=False) -> Turn:
    return Turn(
        prompt_tokens=prompt,
        tokens=said,
        logprobs=tuple(-0.5 * token for token in said),
        truncated=cut,
        weight_version=0,
        text="",
        source=None,
        verdict=TurnVerdict(outcome, outcome.name),
    )


def _group(*members: tuple[Turn, ...]) -> Group:
    trajectories = tuple(Trajectory("t", 4, m, turns) for m, turns in enumerate(members))
    return Group("t", 4, trajectories, Decision.DEBUG)


FAILED, PASSED, LOST = Outcome.FAILED, Outcome.PASSED, Outcome.LOST


def test_row_by_hand() -> None:
    """Passed at turn 2 against a failure: score 1, turn 1 gets γ of it."""
    group = _group(
        (_turn((1, 2), (3, 4), FAILED), _turn((5, 6, 7), (8, 9), PASSED)),
        (_turn((1, 2), (3,), FAILED),),
    )
    first, second = rows_of(group, CreditConfig(discount=0.5))
    assert first.group == 4
    assert first.tokens.tolist() == [1, 2, 3, 4, 5, 6, 7, 8, 9]
    assert first.loss_mask.tolist() == [0, 0, 1, 1, 0, 0, 0, 1, 1]
    assert first.advantages.tolist() == [0, 0, 0.5, 0.5, 0, 0, 0, 1, 1]
    assert first.sampler_logprobs.tolist() == [0, 0, -1.5, -2, 0, 0, 0, -4, -4.5]
    assert second.advantages.tolist() == [0, 0, -1]
    assert first.trained_tokens == 4
    assert first.has_signal


def test_truncated_turns_are_out_of_the_loss_unless_wanted() -> None:
    group = _group(
        (_turn((1,), (3, 4), FAILED, cut=True), _turn((2, 5), (8,), PASSED)),
        (_turn((1,), (3,), FAILED),),
    )
    assert rows_of(group, CreditConfig())[0].loss_mask.tolist() == [0, 0, 0, 0, 0, 1]
    wanted = CreditConfig(train_truncated=True)
    assert rows_of(group, wanted)[0].loss_mask.tolist() == [0, 1, 1, 0, 0, 1]


def test_lost_members_have_no_row() -> None:
    group = _group((_turn((1,), (3,), LOST),), (_turn((1,), (3,), FAILED),))
    (row,) = rows_of(group, CreditConfig())
    assert not row.has_signal
    assert row.trained_tokens == 1


def test_advantage_metrics_by_hand() -> None:
    """c1 = 2, c2 = 1 of 3: the repair scores −1 on both turns."""
    passed = (_turn((1,), (3,), PASSED),)
    repaired = (_turn((1,), (3, 4), FAILED), _turn((2,), (5, 6), PASSED))
    tied = _group(passed, passed)
    mixed = _group(passed, passed, repaired)
    metrics = advantage_metrics([mixed, tied], CreditConfig())
    assert metrics["passing_turns_punished"] == 1 / 5
    assert metrics["groups_with_signal"] == 0.5
    np.testing.assert_allclose(metrics["advantage_token_mean"], (0.5 + 0.5 - 4) / 8)
