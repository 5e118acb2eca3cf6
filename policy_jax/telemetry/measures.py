"""What an evaluation says: Acc@k, turns per pass, and how sure we are.

The unit of chance is the task: intervals are 95 % percentile bootstraps over
tasks, with the same resamples for every measure, so that a difference of two
evaluations of the same tasks is paired.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from policy_jax.telemetry.store import StoredRollout

_RESAMPLES = 10_000


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % interval; NaN where it is not defined."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class TaskCounts:
    """The valid rollouts of one task. `passes[t]` passed at turn t + 1 exactly."""

    samples: int
    passes: tuple[int, ...]
    turns: int  # used by all of them together


@dataclass(frozen=True)
class Measure:
    """One evaluation of one policy."""

    tasks: Mapping[str, TaskCounts]
    lost: int  # rollouts left out because of infrastructure errors
    decisions: Mapping[str, int]  # groups by what DCP would have decided

    def accuracy(self, turn: int) -> Estimate:
        """Acc@turn: the share of rollouts that passed within `turn` turns, mean over tasks."""
        return _bootstrap(self._shares(turn), np.mean)

    def turns_per_pass(self) -> Estimate:
        """Turns used by all rollouts ÷ passes; infinite without a pass."""
        counts = [(sum(t.passes), t.turns) for t in self.tasks.values()]
        return _bootstrap(np.array(counts, float), _turns_per_pass)

    def gain(self, before: Measure, turn: int) -> Estimate:
        """Acc@turn minus that of `before`, paired by task.

        Raises ValueError if the two did not measure the same tasks.
        """
        if list(self.tasks) != list(before.tasks):
            raise ValueError("two evaluations of different tasks cannot be compared")
        return _bootstrap(self._shares(turn) - before._shares(turn), np.mean)

    def as_dict(self) -> dict[str, Any]:
        """The form of summary.json."""
        turns = max(len(t.passes) for t in self.tasks.values())
        named = {f"acc@{k}": self.accuracy(k) for k in range(1, turns + 1)}
        named["turns_per_pass"] = self.turns_per_pass()
        values = {name: _finite(e.value) for name, e in named.items()}
        intervals = {name: [_finite(e.low), _finite(e.high)] for name, e in named.items()}
        return {
            **values,
            "intervals": intervals,
            "tasks": len(self.tasks),
            "rollouts": sum(t.samples for t in self.tasks.values()),
            "lost": self.lost,
            "acc@1_by_task": {name: t.passes[0] / t.samples for name, t in self.tasks.items()},
        }

    def _shares(self, turn: int) -> np.ndarray:
        return np.array([sum(t.passes[:turn]) / t.samples for t in self.tasks.values()])


def measure(rollouts: Sequence[StoredRollout], max_turns: int) -> Measure:
    """The measures of an evaluation's rollouts. Tasks without a valid rollout are left out.

    Raises ValueError (one sentence) if no rollout is valid.
    """
    valid: dict[str, list[StoredRollout]] = {}
    for rollout in rollouts:
        if not rollout.lost:
            valid.setdefault(rollout.task, []).append(rollout)
    if not valid:
        raise ValueError("no rollout of the evaluation got a verdict: look at the verifier's log")
    groups = {(r.step, r.group): r.decision for r in rollouts}
    return Measure(
        tasks={task: _counts(valid[task], max_turns) for task in sorted(valid)},
        lost=sum(rollout.lost for rollout in rollouts),
        decisions=dict(Counter(groups.values())),
    )


def _counts(rollouts: Sequence[StoredRollout], max_turns: int) -> TaskCounts:
    solved = Counter(rollout.solved_at for rollout in rollouts)
    return TaskCounts(
        samples=len(rollouts),
        passes=tuple(solved[turn] for turn in range(1, max_turns + 1)),
        turns=sum(len(rollout.turns) for rollout in rollouts),
    )


def _bootstrap(per_task: np.ndarray, statistic: Callable[..., Any]) -> Estimate:
    """`statistic` over axis −1 (or −2 for pairs) of [tasks] or [tasks, 2]."""
    rng = np.random.default_rng(0)
    picks = rng.integers(len(per_task), size=(_RESAMPLES, len(per_task)))
    axis = 1
    samples = statistic(per_task[picks], axis=axis)
    low, high = np.quantile(samples, [0.025, 0.975], method="nearest")
    return Estimate(float(statistic(per_task, axis=0)), float(low), float(high))


def _turns_per_pass(pairs: np.ndarray, axis: int) -> np.ndarray:
    passes, turns = np.moveaxis(pairs.sum(axis=axis), -1, 0)
    return np.divide(turns, passes, out=np.full_like(turns, np.inf), where=passes > 0)


def _finite(value: float) -> float | None:
    """JSON knows no infinity."""
    return value if np.isfinite(value) else None
