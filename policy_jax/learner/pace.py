"""How far a stage of training is, and what that means for its learning rate."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pace:
    """A stage ends after `steps` or `seconds`, whichever comes first.

    Over its last share `decay` (0 to 1) the learning rate falls linearly to
    zero: a rate that explores fast leaves the weights in noise, and the fall
    averages it out. 0 keeps the rate constant.
    """

    steps: int
    seconds: float | None
    decay: float

    def done(self, step: int, spent: float) -> float:
        """The share of the stage that `step` steps in `spent` seconds are; 1 or more at its end."""
        by_steps = step / self.steps
        if self.seconds is None:
            return by_steps
        return max(by_steps, spent / self.seconds if self.seconds > 0 else 1.0)

    def rate(self, step: int, spent: float) -> float:
        """The share of the learning rate that the next update takes, 0 to 1."""
        left = max(0.0, 1.0 - self.done(step, spent))
        return min(1.0, left / self.decay) if self.decay > 0 else 1.0
