"""The wall-clock limit of one submission, spent only while it is the submission's turn."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from verifier_gpu.service.record import Stop


class Budget:
    def __init__(self, seconds: float) -> None:
        self._total = seconds
        self.left = seconds

    @contextlib.asynccontextmanager
    async def spend(self, what: str) -> AsyncIterator[None]:
        """Counts the time inside. Raises Stop(TIMEOUT) naming `what` when none is left."""
        start = time.monotonic()
        try:
            async with asyncio.timeout(max(0.0, self.left)):
                yield
        except TimeoutError:
            raise Stop("TIMEOUT", f"{what} did not end within {self._total:g} s") from None
        finally:
            self.left -= time.monotonic() - start
