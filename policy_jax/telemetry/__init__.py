"""Progress, metrics, stored rollouts, timing, measures, plots and the summary.

Plain data comes in; nothing here knows jax or the rollout rooms.
"""

from policy_jax.telemetry.measures import Estimate, Measure, measure
from policy_jax.telemetry.metrics import MetricsWriter, read_metrics
from policy_jax.telemetry.plots import plot_run
from policy_jax.telemetry.progress import Progress, RolloutStatus
from policy_jax.telemetry.store import StoredRollout, StoredTurn, read_rollouts, write_rollouts
from policy_jax.telemetry.summary import (
    Summary,
    result_table,
    time_table,
    write_json,
    write_summary,
)
from policy_jax.telemetry.timing import PhaseTimer

__all__ = [
    "Estimate",
    "Measure",
    "MetricsWriter",
    "PhaseTimer",
    "Progress",
    "RolloutStatus",
    "StoredRollout",
    "StoredTurn",
    "Summary",
    "measure",
    "plot_run",
    "read_metrics",
    "read_rollouts",
    "result_table",
    "time_table",
    "write_json",
    "write_rollouts",
    "write_summary",
]
