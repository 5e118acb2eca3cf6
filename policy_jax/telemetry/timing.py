"""Where the seconds of a run went."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager


class PhaseTimer:
    """Wall seconds by phase. Phases nest and never count a second twice.

    Entering a phase inside another stops the outer one's clock, so that all
    phases and `other` sum to `total`. `earlier` is the `seconds` of the run
    that is being resumed.
    """

    def __init__(
        self,
        earlier: Mapping[str, float] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._clock = clock
        self._spent = {k: v for k, v in (earlier or {}).items() if k not in ("other", "total")}
        self._before = (earlier or {}).get("total", sum(self._spent.values()))
        self._start = self._mark = clock()
        self._stack: list[str] = []

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Count the seconds of this block under `name`."""
        self._settle()
        self._stack.append(name)
        try:
            yield
        finally:
            self._settle()
            self._stack.pop()

    @property
    def total(self) -> float:
        """Wall seconds since the run began, pauses between resumptions left out."""
        return self._before + self._clock() - self._start

    @property
    def seconds(self) -> dict[str, float]:
        """Seconds by phase, with `other` (in no phase) and `total`."""
        self._settle()
        total = self.total
        other = max(0.0, total - sum(self._spent.values()))
        return {**self._spent, "other": other, "total": total}

    def _settle(self) -> None:
        """Give the seconds since the last mark to the innermost phase."""
        now = self._clock()
        if self._stack:
            name = self._stack[-1]
            self._spent[name] = self._spent.get(name, 0.0) + now - self._mark
        self._mark = now
