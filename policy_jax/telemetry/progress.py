"""What a run is doing, for the person who watches it.

On a terminal: a live panel. Elsewhere: plain lines, one for each finished
step and a heartbeat in long silences, so that a log stays short.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

_HEARTBEAT_SECONDS = 30.0

Facts = Mapping[str, Any]


@dataclass(frozen=True)
class RolloutStatus:
    """A snapshot of the rollouts of one step.

    `groups`: how many are in each state. `decoding`, `verifying`: turns at the
    sampler and at the verifier. `verdicts`: how many of each code (PASSED too).
    """

    groups: Mapping[str, int] = field(default_factory=dict)
    decoding: int = 0
    verifying: int = 0
    passed: int = 0
    finished: int = 0
    rollouts: int = 0
    verdicts: Mapping[str, int] = field(default_factory=dict)
    tokens_per_second: float = 0.0

    def as_lines(self) -> dict[str, str]:
        """Label -> text, for the panel."""
        return {
            "groups": _counts(self.groups),
            "rollouts": (
                f"{self.finished}/{self.rollouts} finished · {self.passed} passed · "
                f"{self.decoding} decoding · {self.verifying} waiting for the verifier"
            ),
            "verdicts": _counts(self.verdicts),
            "tokens/s": f"{self.tokens_per_second:,.0f}",
        }


class Progress:
    """The display of a run; a context manager.

    `budget_seconds` is the run's time budget, `spent_seconds` what earlier
    parts of a resumed run took.
    """

    def __init__(
        self,
        title: str,
        budget_seconds: float | None = None,
        spent_seconds: float = 0.0,
        console: Console | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._title = title
        self._budget = budget_seconds
        self._clock = clock
        self._start = clock() - spent_seconds
        self._console = console or Console()
        self._stage = "starting"
        self._stage_start = clock()
        self._total: int | None = None
        self._done = 0
        self._facts: dict[str, Any] = {}
        self._rollouts: RolloutStatus | None = None
        self._last_line = clock()
        self._live = (
            Live(get_renderable=self._panel, console=self._console, refresh_per_second=4)
            if self._console.is_terminal
            else None
        )

    def stage(self, name: str, total: int | None = None, done: int = 0) -> None:
        """A new stage begins, of `total` steps where that is known."""
        self._stage, self._total, self._done = name, total, done
        self._stage_start = self._clock()
        self._facts, self._rollouts = {}, None
        self.say(f"{name} · {done}/{total}" if total else name)

    def update(
        self,
        done: int | None = None,
        facts: Facts | None = None,
        rollouts: RolloutStatus | None = None,
    ) -> None:
        """Something moved; cheap enough to call for every update or poll."""
        if done is not None:
            self._done = done
        if facts:
            self._facts |= facts
        if rollouts is not None:
            self._rollouts = rollouts
        if self._live is None and self._clock() - self._last_line > _HEARTBEAT_SECONDS:
            status = self._rollouts
            waiting = {} if status is None else {"rollouts": status.as_lines()["rollouts"]}
            self._print(self._line({**waiting, **self._facts}))

    def step(self, done: int, facts: Facts) -> None:
        """A step that deserves a line has finished."""
        self.update(done, facts)
        self._print(self._line(facts))

    def say(self, text: str) -> None:
        """One line that stays."""
        self._print(Text(text, style="bold"))

    @property
    def elapsed(self) -> float:
        """Seconds of the run so far, earlier parts included."""
        return self._clock() - self._start

    @property
    def seconds_left(self) -> float | None:
        """Of the time budget; negative once it is overdrawn."""
        return None if self._budget is None else self._budget - self.elapsed

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def _print(self, line: Text) -> None:
        self._last_line = self._clock()
        self._console.print(line, soft_wrap=True)

    def _line(self, facts: Facts) -> Text:
        count = f" {self._done}" + (f"/{self._total}" if self._total else "")
        text = " · ".join(f"{name} {show(value)}" for name, value in facts.items())
        left = "" if self.seconds_left is None else f" · left {clock_time(self.seconds_left)}"
        return Text(f"{clock_time(self.elapsed)}  {self._stage}{count} · {text}{left}")

    def _panel(self) -> RenderableType:
        rows = Table.grid(padding=(0, 2))
        rows.add_column(style="dim", justify="right", no_wrap=True)
        rows.add_column()
        if self._rollouts is not None:
            for label, text in self._rollouts.as_lines().items():
                rows.add_row(label, text)
        if self._facts:
            rows.add_row(
                "now", "  ".join(f"{name} {show(value)}" for name, value in self._facts.items())
            )
        times = f"{clock_time(self.elapsed)} gone"
        if self.seconds_left is not None:
            times += f" · {clock_time(self.seconds_left)} left of {clock_time(self._budget or 0)}"
        rows.add_row("time", times)
        head = Table.grid(padding=(0, 2))
        count = (
            f"{self._done}/{self._total}"
            if self._total
            else clock_time(self._clock() - self._stage_start)
        )
        bar = ProgressBar(total=self._total, completed=self._done, width=30, pulse=not self._total)
        head.add_row(Text(self._stage, style="bold"), bar, count)
        return Panel(Group(head, rows), title=self._title, title_align="left", border_style="dim")


def show(value: Any) -> str:
    """A number as a person wants to read it; a mapping as its counts."""
    if isinstance(value, Mapping):
        return _counts(value)
    if isinstance(value, float):
        if value != 0 and not 1e-3 <= abs(value) < 1e5:
            return f"{value:.2g}"
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def clock_time(seconds: float) -> str:
    """12:03, or 1:02:03 from an hour on; negative with a sign."""
    sign, whole = ("-" if seconds < 0 else ""), int(abs(seconds))
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    return sign + (f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}")


def _counts(counts: Mapping[str, int]) -> str:
    ordered = sorted(counts.items(), key=lambda item: -item[1])
    return " · ".join(f"{count} {name}" for name, count in ordered if count) or "–"
