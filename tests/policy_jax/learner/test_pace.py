"""When a stage ends and how its learning rate falls."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from policy_jax.learner.pace import Pace


def test_hand_computed() -> None:
    pace = Pace(steps=10, seconds=100.0, decay=0.4)
    assert pace.done(3, 20.0) == pytest.approx(0.3)  # the steps end first
    assert pace.done(3, 80.0) == pytest.approx(0.8)  # the seconds end first
    assert pace.rate(3, 20.0) == 1.0
    assert pace.rate(3, 80.0) == pytest.approx(0.5)  # half of the last 0.4 is left
    assert pace.rate(10, 20.0) == 0.0
    assert Pace(10, None, 0.0).rate(10, 1e9) == 1.0
    assert Pace(10, -1.0, 0.5).done(0, 0.0) == 1.0  # there was no time to begin with


@given(
    steps=st.integers(1, 50),
    decay=st.floats(0, 1),
    seconds=st.none() | st.floats(0.1, 1e3),
    pauses=st.lists(st.floats(0, 100), min_size=50, max_size=50),
)
def test_rate_never_rises_and_ends_at_zero(
    steps: int, decay: float, seconds: float | None, pauses: list[float]
) -> None:
    pace = Pace(steps, seconds, decay)
    spent = [sum(pauses[:step]) for step in range(steps + 1)]
    rates = [pace.rate(step, spent[step]) for step in range(steps + 1)]
    assert rates[0] == 1.0
    assert all(later <= earlier for earlier, later in pairwise(rates))
    assert rates[-1] == (0.0 if decay > 0 else 1.0)
