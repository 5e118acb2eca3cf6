"""Figures from times: medians with intervals, speedup, and whether reports are believable.

No torch: the server uses it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_Z95 = 1.96

#: A candidate's own figures may fall short of what is seen from outside by this
#: factor and this much in a batch, seconds, before they are called a forgery.
_BELIEVABLE_FACTOR = 4.0
_BELIEVABLE_SLACK_SECONDS = 0.05


@dataclass(frozen=True)
class Median:
    """A median with its 95 % interval, in the unit of the values."""

    value: float
    low: float
    high: float


def median(values: Sequence[float]) -> Median:
    """Median and its distribution-free 95 % interval from order statistics.

    The interval's ends are the values at ranks n/2 ± 1.96·sqrt(n)/2 (normal
    approximation of the binomial), and the extremes where n is too small.
    Raises ValueError without values.
    """
    if not values:
        raise ValueError("no values")
    ordered = sorted(values)
    count = len(ordered)
    middle = (
        ordered[count // 2] if count % 2 else (ordered[count // 2 - 1] + ordered[count // 2]) / 2
    )
    spread = _Z95 * math.sqrt(count) / 2
    low = max(0, math.floor(count / 2 - spread))
    high = min(count - 1, math.ceil(count / 2 + spread))
    return Median(middle, ordered[low], ordered[high])


@dataclass(frozen=True)
class Speedup:
    """Reference time over candidate time; the interval combines both medians' ends."""

    value: float
    low: float
    high: float


def speedup(candidate: Median, reference: Median) -> Speedup:
    """How many times faster the candidate is. Times are positive."""
    return Speedup(
        reference.value / candidate.value,
        reference.low / candidate.high,
        reference.high / candidate.low,
    )


def settled(values: Sequence[float], relative: float) -> bool:
    """Whether the median's interval is within ±`relative` of it."""
    if len(values) < 3:
        return False
    found = median(values)
    return found.high - found.low <= 2 * relative * found.value


def believable(claimed_seconds: float, wall_seconds: float, overhead_seconds: float) -> bool:
    """Whether a batch's own times agree with the wall clock outside the process.

    Args:
        claimed_seconds: sum of the times that the candidate's process reports.
        wall_seconds: from request to answer, measured by the server.
        overhead_seconds: the same difference for the reference's batch, whose
            process is trusted: cache flush, copies, messages.
    """
    unexplained = wall_seconds - overhead_seconds
    return unexplained <= _BELIEVABLE_FACTOR * claimed_seconds + _BELIEVABLE_SLACK_SECONDS
