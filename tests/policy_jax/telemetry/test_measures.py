"""Acc@k, turns per pass and their intervals, by hand and in general."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy_jax.telemetry import StoredRollout, StoredTurn, measure


def rollout(task: str, member: int, solved_at: int | None, turns: int = 3) -> StoredRollout:
    """A rollout that fails until `solved_at`; 0 is one that was lost."""
    if solved_at == 0:
        outcomes = ["lost"]
    elif solved_at is None:
        outcomes = ["failed"] * turns
    else:
        outcomes = ["failed"] * (solved_at - 1) + ["passed"]
    told = tuple(StoredTurn("prompt", "answer", outcome) for outcome in outcomes)
    group = sum(map(ord, task))
    return StoredRollout("before", 0, task, group, member, "debug", told)


def rollouts(**tasks: list[int | None]) -> list[StoredRollout]:
    return [rollout(t, m, s) for t, solved in tasks.items() for m, s in enumerate(solved)]


def test_by_hand() -> None:
    found = measure(rollouts(a=[1, 1, 2, None], b=[3, None, None, 0]), max_turns=3)
    # a: 2/4, 3/4, 3/4; b: 0, 0, 1/3 of the valid three.
    assert found.accuracy(1).value == pytest.approx(0.25)
    assert found.accuracy(2).value == pytest.approx(0.375)
    assert found.accuracy(3).value == pytest.approx((3 / 4 + 1 / 3) / 2)
    # a used 1 + 1 + 2 + 3 = 7 turns, b 9, for 3 + 1 passes.
    assert found.turns_per_pass().value == pytest.approx(16 / 4)
    assert found.lost == 1
    assert found.decisions == {"debug": 2}


def test_two_tasks_have_the_interval_of_their_extremes() -> None:
    found = measure(rollouts(a=[1, 1], b=[None, None]), max_turns=3).accuracy(1)
    # Resampling two tasks gives 0, 1/2, 1 with chances 1/4, 1/2, 1/4.
    assert (found.value, found.low, found.high) == (0.5, 0.0, 1.0)


def test_nothing_passed() -> None:
    found = measure(rollouts(a=[None], b=[None]), max_turns=3)
    assert found.turns_per_pass().value == math.inf
    assert found.as_dict()["turns_per_pass"] is None
    assert found.as_dict()["intervals"]["turns_per_pass"] == [None, None]


def test_nothing_valid_is_one_sentence() -> None:
    with pytest.raises(ValueError, match="no rollout of the evaluation got a verdict"):
        measure(rollouts(a=[0]), max_turns=3)


def test_the_gain_is_paired() -> None:
    before = measure(rollouts(a=[1, None], b=[None, None]), max_turns=3)
    after = measure(rollouts(a=[1, 1], b=[1, None]), max_turns=3)
    gain = after.gain(before, 1)
    assert (gain.value, gain.low, gain.high) == (0.5, 0.5, 0.5)  # each task gained the same
    other = measure(rollouts(c=[1]), max_turns=3)
    with pytest.raises(ValueError, match="different tasks"):
        other.gain(before, 1)


outcomes = st.lists(st.sampled_from([None, 0, 1, 2, 3]), min_size=1, max_size=6)


@given(st.dictionaries(st.sampled_from("abcdefgh"), outcomes, min_size=1))
def test_in_general(tasks: dict[str, list[int | None]]) -> None:
    if all(solved == 0 for members in tasks.values() for solved in members):
        return
    found = measure(rollouts(**tasks), max_turns=3)
    accuracies = [found.accuracy(turn) for turn in (1, 2, 3)]
    values = [each.value for each in accuracies]
    assert values == sorted(values)
    for each in accuracies:
        assert 0 <= each.low <= each.value + 1e-12
        assert each.value - 1e-12 <= each.high <= 1
    assert found.turns_per_pass().value >= 1
    valid = [s for members in tasks.values() for s in members if s != 0]
    assert sum(t.samples for t in found.tasks.values()) == len(valid)
    assert found.lost == sum(len(members) for members in tasks.values()) - len(valid)


def test_intervals_cover_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(100):
        chances = rng.beta(2, 2, size=20)  # mean 1/2
        drawn = {
            f"t{i:02}": [1 if rng.random() < p else None for _ in range(8)]
            for i, p in enumerate(chances)
        }
        found = measure(rollouts(**drawn), max_turns=3).accuracy(1)
        inside += found.low <= 0.5 <= found.high
    assert inside >= 85
