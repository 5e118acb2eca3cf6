"""Processes for submissions, started ahead: forked, with their device ready to use.

A CUDA context takes the driver a quarter of a second and more, which no submission
waits for while one is ready. Preparing one takes a share of its GPU, so that none is
prepared while a timing holds the GPU. One process serves one submission.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import asdict, dataclass, field

from verifier_gpu.build.toolchain import Libraries
from verifier_gpu.runner.channel import ChannelError, Message
from verifier_gpu.runner.limits import Limits
from verifier_gpu.service.config import ServiceConfig
from verifier_gpu.service.leases import Leases
from verifier_gpu.service.processes import Child, WorkerLost, Zygote
from verifier_gpu.service.references import GpuUnhealthy

_READY_SECONDS = 60.0


@dataclass(frozen=True)
class Place:
    """Where a process runs: a target, and there the index of a GPU (0 on the cpu target)."""

    target: str
    gpu: int
    libraries: Libraries  # that every submission there is linked against


@dataclass
class _Shelf:
    """The processes of one place."""

    ready: asyncio.Queue[Child | Exception] = field(default_factory=asyncio.Queue)
    preparing: set[asyncio.Task[None]] = field(default_factory=set)
    waiting: int = 0


class Runners:
    def __init__(self, config: ServiceConfig, zygote: Zygote, leases: Leases) -> None:
        self._config = config
        self._zygote = zygote
        self._leases = leases
        self._shelves: dict[Place, _Shelf] = defaultdict(_Shelf)

    def limits(self, target: str) -> Limits:
        """What one candidate's process may use."""
        return Limits(
            cpu_seconds=self._config.cpu_run_seconds if target == "cpu" else None,
            file_bytes=self._config.max_output_bytes,
        )

    def prepare(self, place: Place) -> None:
        """Starts preparing what shall be ready, and one more for each that is waited for."""
        shelf = self._shelves[place]
        wanted = shelf.waiting + self._config.ready_runners
        for _ in range(wanted - shelf.ready.qsize() - len(shelf.preparing)):
            task = asyncio.create_task(self._prepare(place, shelf))
            shelf.preparing.add(task)
            task.add_done_callback(shelf.preparing.discard)

    async def take(self, place: Place) -> Child:
        """A process whose device is ready, for one submission; the caller closes it.

        Raises WorkerLost, or GpuUnhealthy if the GPU gives no context.
        """
        shelf = self._shelves[place]
        while True:
            shelf.waiting += 1
            try:
                self.prepare(place)
                found = await shelf.ready.get()
            finally:
                shelf.waiting -= 1
            if isinstance(found, Exception):
                raise found
            if not found.exited.done():
                self.prepare(place)
                return found
            await found.close()  # it died on the shelf

    async def probe(self, place: Place) -> None:
        """Raises GpuUnhealthy or WorkerLost if a process with nothing to run cannot use it."""
        await (await self._start(place)).close()

    async def close(self) -> None:
        for shelf in self._shelves.values():
            for task in shelf.preparing:
                task.cancel()
            await asyncio.gather(*shelf.preparing, return_exceptions=True)
            while not shelf.ready.empty():
                found = shelf.ready.get_nowait()
                if isinstance(found, Child):
                    await found.close()

    async def _prepare(self, place: Place, shelf: _Shelf) -> None:
        try:
            shelf.ready.put_nowait(await self._start(place))
        except Exception as error:
            if shelf.waiting > shelf.ready.qsize():  # else nobody is there to be told
                shelf.ready.put_nowait(error)

    async def _start(self, place: Place) -> Child:
        turn = self._leases.turn(place.target, place.gpu)
        await turn.take()
        try:
            child = await self._zygote.spawn("candidate", self.limits(place.target), lane=True)
            try:
                await make_ready(child, place)
            except BaseException:
                await child.close()
                raise
            return child
        finally:
            turn.release()


async def make_ready(child: Child, place: Place) -> None:
    """Has a fresh process take its device. Raises WorkerLost or GpuUnhealthy."""
    request: Message = {
        "device": place.target,
        "gpu": place.gpu,
        "libraries": {
            name: str(path) for name, path in asdict(place.libraries).items() if path is not None
        },
    }
    try:
        async with asyncio.timeout(_READY_SECONDS):
            await child.send(request)
            answer = await child.receive()
    except ChannelError as error:
        text = child.output.text()[-500:]
        raise WorkerLost(
            f"a candidate's process ended before its submission: {text or error}"
        ) from None
    except TimeoutError:
        raise GpuUnhealthy(f"GPU {place.gpu} gave no context in {_READY_SECONDS:.0f} s") from None
    if answer.get("event") == "ready":
        return
    if place.target == "cuda":
        raise GpuUnhealthy(f"GPU {place.gpu} cannot be used: {answer.get('message')}")
    raise WorkerLost(f"a process for submissions cannot start: {answer.get('message')}")
