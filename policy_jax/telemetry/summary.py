"""The result of a run: summary.json, and the table a person reads at the end."""

from __future__ import annotations

import json
import math
import os
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any

from rich.table import Table

from policy_jax.telemetry.measures import Estimate, Measure
from policy_jax.telemetry.progress import clock_time

FILE_NAME = "summary.json"
_PACKAGES = ("leap-rl", "jax", "jaxlib", "flax", "optax", "orbax-checkpoint", "numpy")


@dataclass(frozen=True)
class Summary:
    """What a run has to say for itself.

    `dcp`: groups of the training by decision. `seconds`: by phase, with
    `total`. `control`: the same seconds spent on more supervised training.
    `verifier`: the provenance it reports. `facts`: anything else worth keeping
    (steps, parameters, tokens, what the evaluation was asked for).
    """

    run: str
    seed: int
    before: Measure
    after: Measure
    dcp: Mapping[str, int]
    seconds: Mapping[str, float]
    budget_seconds: float | None = None
    control: Measure | None = None
    verifier: Mapping[str, str] = field(default_factory=dict)
    facts: Mapping[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """The form of summary.json."""
        gain = self.after.gain(self.before, 1)
        return {
            "run": self.run,
            "seed": self.seed,
            "before": self.before.as_dict(),
            "after": self.after.as_dict(),
            "gain": {"acc@1": gain.value, "interval": [gain.low, gain.high]},
            **({"control": self.control.as_dict()} if self.control else {}),
            "dcp": {
                "training": dict(self.dcp),
                "would_have_decided": {
                    "before": dict(self.before.decisions),
                    "after": dict(self.after.decisions),
                },
            },
            "seconds": {name: round(value, 2) for name, value in self.seconds.items()},
            "budget_seconds": self.budget_seconds,
            "facts": dict(self.facts),
            "versions": versions(),
            "machine": machine(),
            "verifier": dict(self.verifier),
        }


def write_summary(directory: Path, summary: Summary) -> Path:
    """Write RUN/summary.json in one piece; returns its path."""
    return write_json(directory / FILE_NAME, summary.as_dict())


def write_json(path: Path, data: Any) -> Path:
    """Put JSON in place atomically; raises OSError, leaving what was there."""
    unfinished = path.with_suffix(".tmp")
    try:
        unfinished.write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    return path


def result_table(measures: Mapping[str, Measure], split: str = "heldout") -> Table:
    """Acc@1..K and turns per pass, one column an evaluation ("before", "after", …)."""
    table = Table()
    table.add_column(split, style="dim")
    for name in measures:
        table.add_column(name, justify="right")
    turns = max(len(t.passes) for m in measures.values() for t in m.tasks.values())
    for k in range(1, turns + 1):
        estimates = [m.accuracy(k) for m in measures.values()]
        table.add_row(f"Acc@{k}", *(_percent(e) for e in estimates))
    table.add_row("turns per pass", *(_plain(m.turns_per_pass()) for m in measures.values()))
    table.add_row(
        "rollouts", *(str(sum(t.samples for t in m.tasks.values())) for m in measures.values())
    )
    table.add_row("tasks", *(str(len(m.tasks)) for m in measures.values()))
    if any(m.lost for m in measures.values()):
        table.add_row("lost", *(str(m.lost) for m in measures.values()))
    for decision in ("easy", "debug", "hopeless"):
        counts = (str(m.decisions.get(decision, 0)) for m in measures.values())
        table.add_row(f"DCP would say {decision}", *counts)
    return table


def time_table(seconds: Mapping[str, float], budget_seconds: float | None) -> Table:
    """Seconds by phase, and the time budget beside the actual."""
    table = Table()
    table.add_column("phase", style="dim")
    table.add_column("time", justify="right")
    table.add_column("share", justify="right")
    total = seconds["total"]
    for name, value in sorted(seconds.items(), key=lambda item: -item[1]):
        if name != "total":
            table.add_row(name, clock_time(value), f"{value / total:.0%}" if total else "")
    table.add_section()
    if budget_seconds is None:
        table.add_row("total", clock_time(total), "")
    else:
        budget = f"{clock_time(total)} of {clock_time(budget_seconds)}"
        table.add_row("total of the budget", budget, f"{total / budget_seconds:.0%}")
    return table


def versions() -> dict[str, str]:
    """Of Python and the packages that decide numbers."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, Any]:
    """What the policy side ran on; the devices only if jax is already loaded."""
    facts: dict[str, Any] = {"system": platform.platform(), "cores": os.cpu_count()}
    if jax := sys.modules.get("jax"):
        facts["devices"] = [device.device_kind for device in jax.devices()]
    return facts


def _percent(estimate: Estimate) -> str:
    return f"{estimate.value:.1%} [{estimate.low:.1%}, {estimate.high:.1%}]"


def _plain(estimate: Estimate) -> str:
    if not math.isfinite(estimate.value):
        return "–"
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}]"
