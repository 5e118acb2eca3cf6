"""Difficulty-Conditioned Pruning: which groups deserve debugging turns.

After turn 1 a group is easy (too few failed to learn repair from), hopeless
(too many failed) or worth debugging; LEAP, arXiv 2608.01804, section on DCP.
Everything is exact rational arithmetic: no rounding decides a group's fate.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction


class Decision(Enum):
    """What DCP says of one group."""

    EASY = "easy"  # fewer than t_min failed: train on turn 1 only
    DEBUG = "debug"  # every failed member goes on with feedback
    HOPELESS = "hopeless"  # more than t_max failed: train on turn 1 only


@dataclass(frozen=True)
class Thresholds:
    """t_min and t_max as exact shares of the valid members, in [0, 1]."""

    t_min: Fraction
    t_max: Fraction

    def __post_init__(self) -> None:
        for name, share in (("t_min", self.t_min), ("t_max", self.t_max)):
            if not 0 <= share <= 1:
                raise ValueError(
                    f"dcp.{name} must lie between 0 and the group size (or 0.0 and 1.0)"
                )
        if self.t_min > self.t_max:
            raise ValueError(
                f"dcp.t_min ({self.t_min} of the group) is above dcp.t_max ({self.t_max} of it): "
                "no group could ever be debugged; lower t_min or raise t_max"
            )

    @classmethod
    def of(cls, t_min: int | float, t_max: int | float, group_size: int) -> Thresholds:
        """Thresholds as a person writes them: 4 is a count of G, 0.5 a fraction of G.

        Raises ValueError (one sentence) if one is out of range or t_min > t_max.
        """
        return cls(_share(t_min, group_size), _share(t_max, group_size))


def _share(threshold: int | float, group_size: int) -> Fraction:
    if isinstance(threshold, int):
        return Fraction(threshold, group_size)
    return Fraction(str(threshold))  # "0.1" is one tenth, which the float 0.1 is not


@dataclass(frozen=True)
class FirstTurns:
    """How the first turns of one group stand: the four counts sum to G."""

    passed: int = 0
    failed: int = 0
    lost: int = 0  # INFRA_ERROR after retries: left the group
    pending: int = 0

    @property
    def valid(self) -> int:
        """Members that are judged or still may be."""
        return self.passed + self.failed + self.pending


def decide(turns: FirstTurns, thresholds: Thresholds) -> Decision | None:
    """The decision as soon as no completion can change it, else None.

    The rule is monotone in the failed share of the valid members. With all
    pending verdicts passed that share is smallest, with all failed it is
    largest, and a member lost instead only shrinks the group, which lands in
    between. So the two extremes agree exactly when all completions agree.
    """
    best = _final(turns.failed, turns.valid, thresholds)
    worst = _final(turns.failed + turns.pending, turns.valid, thresholds)
    return best if best is worst else None


def _final(failed: int, valid: int, thresholds: Thresholds) -> Decision:
    if failed < thresholds.t_min * valid:
        return Decision.EASY
    if failed > thresholds.t_max * valid:
        return Decision.HOPELESS
    return Decision.DEBUG
