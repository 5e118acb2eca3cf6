"""DCP decides exactly when every way the pending verdicts can fall agrees."""

from fractions import Fraction
from itertools import combinations_with_replacement

import pytest

from policy_jax.rollout.dcp import Decision, FirstTurns, Thresholds, decide


def _reference(passed: int, failed: int, thresholds: Thresholds) -> Decision:
    """The definition, with every verdict in: n_fail·G against t·G_valid."""
    valid = passed + failed
    if failed < thresholds.t_min * valid:
        return Decision.EASY
    if failed > thresholds.t_max * valid:
        return Decision.HOPELESS
    return Decision.DEBUG


def _completions(turns: FirstTurns, thresholds: Thresholds) -> set[Decision]:
    return {
        _reference(turns.passed + ends.count("p"), turns.failed + ends.count("f"), thresholds)
        for ends in combinations_with_replacement("pfl", turns.pending)
    }


@pytest.mark.parametrize("group_size", range(1, 9))
def test_decides_exactly_when_all_completions_agree(group_size: int) -> None:
    states = [
        FirstTurns(p, f, lost, group_size - p - f - lost)
        for p in range(group_size + 1)
        for f in range(group_size + 1 - p)
        for lost in range(group_size + 1 - p - f)
    ]
    for t_min in range(group_size + 1):
        for t_max in range(t_min, group_size + 1):
            thresholds = Thresholds.of(t_min, t_max, group_size)
            for turns in states:
                ends = _completions(turns, thresholds)
                want = next(iter(ends)) if len(ends) == 1 else None
                assert decide(turns, thresholds) is want, (turns, thresholds)


def test_counts_by_hand() -> None:
    """G = 8, t_min = 4, t_max = 7: the paper's best arm with our upper cut."""
    thresholds = Thresholds.of(4, 7, 8)
    assert decide(FirstTurns(passed=5, pending=3), thresholds) is Decision.EASY
    assert decide(FirstTurns(passed=4, failed=3, pending=1), thresholds) is None
    assert decide(FirstTurns(passed=1, failed=4, pending=3), thresholds) is Decision.DEBUG
    assert decide(FirstTurns(failed=7, pending=1), thresholds) is None
    assert decide(FirstTurns(failed=8), thresholds) is Decision.HOPELESS
    # Lost members leave the group: 3 of 6 is half, though 3 < t_min.
    assert decide(FirstTurns(passed=3, failed=3, lost=2), thresholds) is Decision.DEBUG


def test_fractions_are_exact() -> None:
    assert Thresholds.of(0.1, 1.0, 10) == Thresholds(Fraction(1, 10), Fraction(1))
    assert Thresholds.of(0.5, 0.875, 8) == Thresholds.of(4, 7, 8)
    assert decide(FirstTurns(passed=9, failed=1), Thresholds.of(0.1, 0.9, 10)) is Decision.DEBUG


@pytest.mark.parametrize(("t_min", "t_max"), [(5, 4), (0.6, 0.5), (-1, 4), (4, 9), (0.5, 1.5)])
def test_bad_thresholds_are_refused(t_min: float, t_max: float) -> None:
    with pytest.raises(ValueError, match=r"dcp\.t_m"):
        Thresholds.of(t_min, t_max, 8)
