"""Who holds a GPU. On the cpu target there is nothing to hold."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from verifier_gpu.service.hardware import Hardware


class Leases:
    """One lease a GPU; a build never holds one."""

    def __init__(self, hardware: Hardware) -> None:
        self._free: asyncio.Queue[int] = asyncio.Queue()
        for gpu in hardware.gpus:
            self._free.put_nowait(gpu.index)

    @contextlib.asynccontextmanager
    async def hold(self, target: str) -> AsyncIterator[int]:
        """Holds any free GPU; gives its index (0 on the cpu target)."""
        if target != "cuda":
            yield 0
            return
        gpu = await self._free.get()
        try:
            yield gpu
        finally:
            self._free.put_nowait(gpu)
