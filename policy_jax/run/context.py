"""What every stage of a run is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from policy_jax.config import RunConfig
from policy_jax.run.folder import RunFolder
from policy_jax.telemetry import MetricsWriter, PhaseTimer, Progress


@dataclass(frozen=True)
class RunContext:
    """The run's knobs, folder, clock and voice, and whether it should stop."""

    config: RunConfig
    folder: RunFolder
    timer: PhaseTimer
    display: Progress
    metrics: MetricsWriter
    should_stop: Callable[[], bool]

    def save_seconds(self) -> None:
        """Keep the seconds by phase for when the run goes on."""
        self.folder.save_progress(seconds=self.timer.seconds)
