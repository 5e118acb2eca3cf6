"""Ctrl-C and SIGTERM as a wish to stop, not as an exception in mid-step."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_NOTICE = b"\nleap: stopping with a checkpoint; once more to stop at once\n"


class StopSignal:
    """Whether the run was asked to stop.

    While `listening`, the first SIGINT or SIGTERM only sets it: stages look at
    `should_stop()` between pieces of work, save, and return. The second one
    raises KeyboardInterrupt wherever the program is.
    """

    def __init__(self) -> None:
        self._signal: int | None = None

    def should_stop(self) -> bool:
        """Whether to save and return."""
        return self._signal is not None

    @property
    def exit_code(self) -> int:
        """128 + the signal's number, as shells have it; 0 if there was none."""
        return 0 if self._signal is None else 128 + self._signal

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take SIGINT and SIGTERM in this block; main thread only."""
        previous = {
            number: signal.signal(number, self._take) for number in (signal.SIGINT, signal.SIGTERM)
        }
        try:
            yield
        finally:
            for number, handler in previous.items():
                signal.signal(number, handler)

    def _take(self, number: int, frame: FrameType | None) -> None:
        if self._signal is not None:
            raise KeyboardInterrupt
        self._signal = number
        os.write(2, _NOTICE)
