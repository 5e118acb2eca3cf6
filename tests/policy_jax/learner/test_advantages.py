"""Rank scores and turn credit against what their definition implies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy_jax.learner.advantages import rank_scores, turn_advantages

Turns = st.lists(st.sampled_from([1, 2, 3, None]), min_size=2, max_size=12)


def _scores(solved_at: list[int | None]) -> np.ndarray:
    return rank_scores(solved_at, [True] * len(solved_at))


def test_hand_computed_group() -> None:
    """G = 4: turn 1 beats three; turn 2 beats two, loses once; two failures lose twice."""
    np.testing.assert_allclose(_scores([1, 2, None, None]), [1, 1 / 3, -2 / 3, -2 / 3])


def test_recovered_members_may_score_below_zero() -> None:
    """c1 = c2 = 4 of 8: the recovered members score −4/7."""
    np.testing.assert_allclose(_scores([1] * 4 + [2] * 4), [4 / 7] * 4 + [-4 / 7] * 4)


@given(Turns)
def test_scores_sum_to_zero_and_stay_in_range(solved_at: list[int | None]) -> None:
    scores = _scores(solved_at)
    assert abs(scores.sum()) < 1e-12
    assert np.all(np.abs(scores) <= 1)


@given(Turns)
def test_antisymmetric(solved_at: list[int | None]) -> None:
    """Reversing the order of merit negates every score."""
    merit = [4 if turn is None else turn for turn in solved_at]
    reverse: list[int | None] = [5 - turn for turn in merit]
    np.testing.assert_array_equal(_scores(reverse), -_scores(list(merit)))


@given(Turns, st.randoms(use_true_random=False))
def test_permutation_equivariant(solved_at: list[int | None], random) -> None:
    order = list(range(len(solved_at)))
    random.shuffle(order)
    np.testing.assert_array_equal(_scores([solved_at[i] for i in order]), _scores(solved_at)[order])


@given(Turns)
def test_invariant_to_monotone_relabelling(solved_at: list[int | None]) -> None:
    relabelled = [None if turn is None else turn**3 + 10 for turn in solved_at]
    np.testing.assert_array_equal(_scores(relabelled), _scores(solved_at))


@given(st.sampled_from([1, 2, 3, None]), st.integers(1, 12))
def test_homogeneous_group_is_exactly_zero(turn: int | None, size: int) -> None:
    assert np.array_equal(_scores([turn] * size), np.zeros(size))


@given(Turns)
def test_closed_forms_by_counts(solved_at: list[int | None]) -> None:
    """Turn 1: (c2+c3+f)/(G−1), turn 2: (c3+f−c1)/(G−1), turn 3: (f−c1−c2)/(G−1),
    failure: −(c1+c2+c3)/(G−1)."""
    c1, c2, c3, f = (solved_at.count(turn) for turn in (1, 2, 3, None))
    forms = {1: c2 + c3 + f, 2: c3 + f - c1, 3: f - c1 - c2, None: -(c1 + c2 + c3)}
    expected = [forms[turn] / (len(solved_at) - 1) for turn in solved_at]
    np.testing.assert_allclose(_scores(solved_at), expected, atol=1e-12)


@given(Turns, st.data())
def test_lost_members_leave_the_group(solved_at: list[int | None], data) -> None:
    """The others score as if the lost had never been there; the lost score 0."""
    valid = [data.draw(st.booleans()) for _ in solved_at]
    scores = rank_scores(solved_at, valid)
    rest = [turn for turn, ok in zip(solved_at, valid, strict=True) if ok]
    expected = _scores(rest) if len(rest) > 1 else np.zeros(len(rest))
    np.testing.assert_array_equal(scores[np.array(valid)], expected)
    assert not scores[~np.array(valid)].any()


def test_turn_credit_by_hand() -> None:
    np.testing.assert_allclose(turn_advantages(0.8, 3, True, 0.5), [0.2, 0.4, 0.8])
    np.testing.assert_allclose(turn_advantages(-0.5, 2, True, 0.5), [-0.5, -0.5])
    np.testing.assert_allclose(
        turn_advantages(-0.5, 2, True, 0.5, "spare_passing_turn"), [-0.5, 0.0]
    )
    np.testing.assert_allclose(
        turn_advantages(-0.5, 2, False, 0.5, "spare_passing_turn"), [-0.5, -0.5]
    )
    np.testing.assert_array_equal(turn_advantages(0.0, 2, False, 0.5), [0, 0])


def test_turn_credit_does_not_sum_to_zero() -> None:
    """c2 = 4, f = 4, K = 3, γ = 0.5: +3.43 for the repaired, −6.86 for the failed."""
    scores = _scores([2] * 4 + [None] * 4)
    repaired = sum(turn_advantages(s, 2, True, 0.5).sum() for s in scores[:4])
    failed = sum(turn_advantages(s, 3, False, 0.5).sum() for s in scores[4:])
    assert repaired == pytest.approx(24 / 7)
    assert failed == pytest.approx(-48 / 7)
