"""Who runs next: a bounded queue in front of a fixed number of slots.

Higher priorities first; among equals, clients take turns, each client's own
submissions in the order in which they came.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import OrderedDict, deque
from collections.abc import AsyncIterator


class QueueFull(Exception):
    """No room for more submissions."""


class Scheduler:
    def __init__(self, slots: int, limit: int) -> None:
        self._free = slots
        self._limit = limit
        self._depth = 0
        self._waiting: dict[int, OrderedDict[str, deque[asyncio.Future[None]]]] = {}

    @property
    def depth(self) -> int:
        """Submissions waiting or running."""
        return self._depth

    def check_room(self, count: int) -> None:
        """Raises QueueFull unless `count` more submissions fit."""
        if self._depth + count > self._limit:
            raise QueueFull(f"the queue of {self._limit} submissions is full")

    @contextlib.asynccontextmanager
    async def slot(self, client: str, priority: int) -> AsyncIterator[None]:
        """Holds a slot; waits for its turn. Raises QueueFull at once if the queue is full."""
        self.check_room(1)
        self._depth += 1
        try:
            await self._acquire(client, priority)
            try:
                yield
            finally:
                self._release()
        finally:
            self._depth -= 1

    async def _acquire(self, client: str, priority: int) -> None:
        if self._free > 0:
            self._free -= 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        clients = self._waiting.setdefault(priority, OrderedDict())
        clients.setdefault(client, deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._release()  # the slot was handed over in the same moment
            raise

    def _release(self) -> None:
        """Hands the slot to the next waiter, or frees it."""
        while self._waiting:
            priority = max(self._waiting)
            clients = self._waiting[priority]
            client, turns = next(iter(clients.items()))
            turn = turns.popleft()
            if turns:
                clients.move_to_end(client)
            else:
                del clients[client]
            if not clients:
                del self._waiting[priority]
            if not turn.cancelled():
                turn.set_result(None)
                return
        self._free += 1
