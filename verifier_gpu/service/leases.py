"""Who may use a GPU. On the cpu target there is nothing to share."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator

from verifier_gpu.service.hardware import Hardware

#: Processes that compute on one GPU at once. Most of what a correctness run holds its
#: GPU for is the driver making a context and taking it down, not kernels.
SHARES = 4


class Leases:
    """Shares of each GPU; a build never holds one. A process is given its GPU when it
    starts, and holds a share while it uses it. What is timed holds all of them."""

    def __init__(self, hardware: Hardware) -> None:
        self._gpus = {gpu.index: _Gpu() for gpu in hardware.gpus}
        self._users = dict.fromkeys(self._gpus, 0)

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

    def places(self, target: str) -> list[int]:
        """The indices of the GPUs ([0] on the cpu target)."""
        return list(self._gpus) if target == "cuda" else [0]

    def turn(self, target: str, gpu: int) -> Turn:
        """The right to use a GPU, not yet used."""
        return Turn(self._gpus[gpu] if target == "cuda" else None)

    @contextlib.asynccontextmanager
    async def hold(self, target: str) -> AsyncIterator[int]:
        """Chooses a GPU and holds a share of it; gives its index."""
        with self.choose(target) as gpu:
            turn = self.turn(target, gpu)
            await turn.take()
            try:
                yield gpu
            finally:
                turn.release()


class _Gpu:
    def __init__(self) -> None:
        self.free = asyncio.Semaphore(SHARES)  # first come, first served
        self.gathering = asyncio.Lock()  # two that want all shares would starve each other


class Turn:
    """Shares that are taken and released as the work goes; all of it may be repeated."""

    def __init__(self, gpu: _Gpu | None) -> None:
        self._gpu = gpu
        self._held = 0

    async def take(self) -> None:
        """Waits until the GPU has a share free, and holds it."""
        if self._gpu is not None and not self._held:
            await self._gpu.free.acquire()
            self._held = 1

    async def take_alone(self) -> None:
        """Waits until nobody else computes on the GPU, and keeps it so.

        Gives up its own share meanwhile, so that nobody waits while holding one.
        """
        if self._gpu is None or self._held == SHARES:
            return
        self.release()
        async with self._gpu.gathering:
            while self._held < SHARES:
                await self._gpu.free.acquire()
                self._held += 1

    def release(self) -> bool:
        """Lets others have the GPU; whether any of it was held."""
        held, self._held = self._held, 0
        if self._gpu is not None:
            for _ in range(held):
                self._gpu.free.release()
        return held > 0
