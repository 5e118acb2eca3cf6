"""The wall-clock limit of one submission, spent only while it is the submission's turn."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

from verifier_gpu.service.record import Stop

#: Part of the limit that a submission has for its run however long its build took:
#: on a busy machine a build takes several times its usual time.
_KEPT_FOR_THE_RUN = 0.3


class Budget:
    def __init__(self, seconds: float) -> None:
        self._total = seconds
        self.left = seconds

    def charge(self, seconds: float) -> None:
        """Counts time spent on a build that ended in time; a share is kept for the run."""
        self.left = max(self.left - seconds, min(self.left, _KEPT_FOR_THE_RUN * self._total))

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
