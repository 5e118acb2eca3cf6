"""One picture of a run: what it measured before and after, and how it got there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from policy_jax.telemetry.measures import Measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

FILE_NAME = "result.png"
_COLOURS = {"before": "#9aa5b1", "more SFT": "#d9a441", "after": "#2a6f97"}


def plot_run(
    directory: Path, measures: Mapping[str, Measure], curve: Sequence[Mapping[str, Any]]
) -> Path:
    """Draw RUN/result.png; returns its path.

    `measures`: "before", "after" and perhaps "more SFT", the control. `curve`: the training
    records of metrics.jsonl, of which `step`, `passed@1` (first turns) and
    `passed` (within all turns) are drawn.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained", dpi=150)
    FigureCanvasAgg(figure)
    bars, line = figure.subplots(1, 2)
    _draw_bars(bars, measures)
    _draw_curve(line, curve)
    path = directory / FILE_NAME
    figure.savefig(path)
    return path


def _draw_bars(axes: Axes, measures: Mapping[str, Measure]) -> None:
    turns = max(len(t.passes) for m in measures.values() for t in m.tasks.values())
    width = 0.8 / len(measures)
    for place, (name, measure) in enumerate(measures.items()):
        estimates = [measure.accuracy(k) for k in range(1, turns + 1)]
        heights = np.array([e.value for e in estimates])
        errors = np.abs(np.array([[e.low, e.high] for e in estimates]).T - heights)
        x = np.arange(turns) + (place - (len(measures) - 1) / 2) * width
        colour = _COLOURS.get(name)
        drawn = axes.bar(x, heights * 100, width * 0.9, label=name, color=colour)
        axes.errorbar(x, heights * 100, errors * 100, fmt="none", ecolor="#33333399", capsize=2)
        axes.bar_label(drawn, fmt="%.0f", label_type="center", color="white", fontsize=8)
    axes.set_xticks(np.arange(turns), [f"Acc@{k}" for k in range(1, turns + 1)])
    axes.set(ylabel="held-out rollouts passed, %", ylim=(0, 100))
    axes.set_title("Held-out, 95 % intervals over tasks", fontsize=10, loc="left")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)


def _draw_curve(axes: Axes, curve: Sequence[Mapping[str, Any]]) -> None:
    steps = np.array([record["step"] for record in curve])
    for key, label, colour in (
        ("passed@1", "first turn", _COLOURS["after"]),
        ("passed", "within all turns", "#61a5c2"),
    ):
        values = np.array([record.get(key, np.nan) for record in curve], float) * 100
        if not len(values) or np.all(np.isnan(values)):
            continue
        axes.plot(steps, values, color=colour, alpha=0.25, linewidth=1)
        axes.plot(steps, _smooth(values), color=colour, linewidth=2, label=label)
        axes.legend(frameon=False)
    axes.set(xlabel="LEAP step", ylabel="training rollouts passed, %", ylim=(0, 100))
    axes.set_title("Training", fontsize=10, loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", alpha=0.2)


def _smooth(values: np.ndarray, span: int = 9) -> np.ndarray:
    """Centred running mean that shrinks at the ends and ignores NaN."""
    half = span // 2
    windows = (values[max(0, i - half) : i + half + 1] for i in range(len(values)))
    return np.array([w[~np.isnan(w)].mean() if (~np.isnan(w)).any() else np.nan for w in windows])
