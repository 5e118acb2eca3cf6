"""One computation that many callers wait for."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Shared(Generic[T]):
    """A running coroutine with any number of waiters.

    A waiter that is cancelled leaves the others undisturbed; when the last one
    leaves, the computation is cancelled and counts as `abandoned`.
    """

    def __init__(self, computation: Coroutine[Any, Any, T]) -> None:
        self._task: asyncio.Task[T] = asyncio.ensure_future(computation)
        self._waiters = 0
        self.abandoned = False

    async def wait(self) -> T:
        """The result. Raises what the computation raises."""
        self._waiters += 1
        try:
            return await asyncio.shield(self._task)
        finally:
            self._waiters -= 1
            if self._waiters == 0 and not self._task.done():
                self.abandoned = True
                self._task.cancel()
