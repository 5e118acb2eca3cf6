"""Who holds a GPU. On the cpu target there is nothing to hold."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

from verifier_gpu.service.hardware import Hardware


class Leases:
    """One lease a GPU; a build never holds one. A process is given its GPU when it
    starts, and holds the lease only from its first use of the GPU on."""

    def __init__(self, hardware: Hardware) -> None:
        self._locks = {gpu.index: asyncio.Lock() for gpu in hardware.gpus}
        self._users = dict.fromkeys(self._locks, 0)

    @contextlib.contextmanager
    def choose(self, target: str) -> Iterator[int]:
        """The index of the GPU with the fewest users (0 on the cpu target)."""
        if target != "cuda":
            yield 0
            return
        gpu = min(self._users, key=lambda index: self._users[index])
        self._users[gpu] += 1
        try:
            yield gpu
        finally:
            self._users[gpu] -= 1

    def turn(self, target: str, gpu: int) -> Turn:
        """The right to hold a GPU, not yet used."""
        return Turn(self._locks[gpu] if target == "cuda" else None)

    @contextlib.asynccontextmanager
    async def hold(self, target: str) -> AsyncIterator[int]:
        """Chooses and holds a GPU; gives its index."""
        with self.choose(target) as gpu:
            turn = self.turn(target, gpu)
            await turn.take()
            try:
                yield gpu
            finally:
                turn.release()


class Turn:
    """A lease that is taken and released as the work goes; both may be repeated."""

    def __init__(self, lock: asyncio.Lock | None) -> None:
        self._lock = lock
        self._held = False

    async def take(self) -> None:
        """Waits until the GPU is free, and holds it."""
        if self._lock is not None and not self._held:
            await self._lock.acquire()
            self._held = True

    def release(self) -> bool:
        """Lets others have the GPU; whether it was held."""
        held, self._held = self._held, False
        if held and self._lock is not None:
            self._lock.release()
        return held
