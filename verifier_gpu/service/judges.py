"""The judge's workers: one for each submission being worked on, replaced when one fails."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence

from verifier_gpu.runner.channel import ChannelError, Message
from verifier_gpu.runner.limits import Limits
from verifier_gpu.service.processes import Child, WorkerLost, Zygote

_ANSWER_SECONDS = 120.0


class Judges:
    def __init__(self, zygote: Zygote) -> None:
        self._zygote = zygote
        self._idle: list[Child] = []

    async def ask(self, request: Message, files: Sequence[int] = ()) -> Message:
        """One request, one answer. Raises WorkerLost if the worker dies or stalls."""
        async with self._worker() as child:
            try:
                async with asyncio.timeout(_ANSWER_SECONDS):
                    await child.send(request, files)
                    return await child.receive()
            except (ChannelError, TimeoutError) as error:
                raise WorkerLost(f"the judge's worker failed: {error}") from None

    @contextlib.asynccontextmanager
    async def _worker(self) -> AsyncIterator[Child]:
        while self._idle and self._idle[-1].exited.done():
            await self._idle.pop().close()
        child = (
            self._idle.pop()
            if self._idle
            else await self._zygote.spawn("judge", Limits(), lane=True)
        )
        try:
            yield child
        except BaseException:
            # Its answer to this request may still come: it must not meet the next one.
            await child.close()
            raise
        self._idle.append(child)

    async def close(self) -> None:
        while self._idle:
            await self._idle.pop().close()
