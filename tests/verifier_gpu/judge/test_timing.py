from __future__ import annotations

import random

import pytest

from verifier_gpu.judge.timing import Median, believable, median, settled, speedup


def test_median_by_hand() -> None:
    assert median([3.0, 1.0, 2.0]) == Median(2.0, 1.0, 3.0)
    assert median([1.0, 2.0, 3.0, 4.0]).value == 2.5
    # ranks 50 ± 9.8 of 1..100
    assert median([float(i) for i in range(1, 101)]) == Median(50.5, 41.0, 61.0)
    with pytest.raises(ValueError, match="no values"):
        median([])


def test_the_interval_covers_the_true_median() -> None:
    source = random.Random(0)
    covered = 0
    for _ in range(400):
        found = median([source.expovariate(1.0) for _ in range(50)])
        covered += found.low <= 0.6931 <= found.high
    assert covered >= 0.93 * 400


def test_speedup() -> None:
    found = speedup(Median(1.0, 0.5, 2.0), Median(4.0, 3.0, 6.0))
    assert (found.value, found.low, found.high) == (4.0, 1.5, 12.0)


def test_settled() -> None:
    assert settled([1.0] * 10, 0.01)
    assert not settled([1.0, 1.0], 0.01)
    assert not settled([1.0, 2.0] * 10, 0.01)


def test_believable() -> None:
    assert believable(claimed_seconds=0.1, wall_seconds=0.15, overhead_seconds=0.04)
    assert not believable(claimed_seconds=0.001, wall_seconds=1.0, overhead_seconds=0.04)
