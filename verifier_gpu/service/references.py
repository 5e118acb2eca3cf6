"""Prepared references: a task's weights, inputs, expected outputs and tolerances, kept in memory.

Each is computed once by a child of its own (`judge.reference`) and serves every
submission of the task with the same seed, target and precision.
"""

from __future__ import annotations

import asyncio
import signal
from collections import OrderedDict
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass

from verifier_gpu.runner.channel import ChannelError, Message
from verifier_gpu.runner.limits import Limits
from verifier_gpu.service.config import ServiceConfig
from verifier_gpu.service.files import AnonymousFile
from verifier_gpu.service.processes import WorkerLost, Zygote
from verifier_gpu.service.shared import Shared

#: Makes a context manager that holds a GPU while the reference runs, and gives its index.
Lease = Callable[[], AbstractAsyncContextManager[int]]


class TaskInvalid(Exception):
    """The task itself is broken; the message says how. `lasting`: another try fails likewise."""

    def __init__(self, message: str, *, lasting: bool = True) -> None:
        super().__init__(message)
        self.lasting = lasting


class GpuUnhealthy(Exception):
    """The GPU failed a reference that may be right; the message says how."""


@dataclass(frozen=True)
class Reference:
    """public: what a candidate may see; secret: what only the judge's worker reads."""

    public: AnonymousFile
    secret: AnonymousFile
    init: Message
    state: Message
    inputs: list[Message]
    expected: list[list[Message]]
    mutates_inputs: bool
    model_seed: int
    notes: list[str]

    @property
    def nbytes(self) -> int:
        return self.public.nbytes + self.secret.nbytes


class References:
    """Least recently used references leave first, by number and by bytes."""

    def __init__(self, config: ServiceConfig, zygote: Zygote) -> None:
        self._config = config
        self._zygote = zygote
        self._kept: OrderedDict[str, Reference] = OrderedDict()
        self._running: dict[str, Shared[Reference]] = {}
        self._broken: OrderedDict[str, TaskInvalid] = OrderedDict()

    async def get(self, key: str, job: Message, lease: Lease) -> Reference:
        """The reference of `job`, computed under `lease()` if it is not kept.

        Raises TaskInvalid, GpuUnhealthy, or WorkerLost if a process of ours died.
        """
        if key in self._broken:
            raise self._broken[key]
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        running = self._running.get(key)
        if running is None or running.abandoned:
            running = Shared(self._prepare(key, job, lease))
            self._running[key] = running
        return await running.wait()

    async def _prepare(self, key: str, job: Message, lease: Lease) -> Reference:
        mine = self._running.get(key)
        try:
            async with lease() as gpu:
                reference = await self._execute({**job, "gpu": gpu})
        except TaskInvalid as error:
            if error.lasting:
                self._broken[key] = error
                while len(self._broken) > self._config.kept_references:
                    self._broken.popitem(last=False)
            raise
        finally:
            if self._running.get(key) is mine:
                self._running.pop(key, None)
        self._kept[key] = reference
        self._evict()
        return reference

    async def _execute(self, job: Message) -> Reference:
        public, secret = AnonymousFile("leap-public"), AnonymousFile("leap-secret")
        limits = Limits(cpu_seconds=self._config.reference_seconds)
        child = await self._zygote.spawn("reference", limits, [public.fd, secret.fd])
        answer: Message | None = None
        try:
            async with asyncio.timeout(3 * self._config.reference_seconds):
                await child.send(job)
                answer = await child.receive()
        except TimeoutError:
            raise TaskInvalid("its reference did not finish in time", lasting=False) from None
        except ChannelError:
            pass
        finally:
            exit_ = await child.close()
        if answer is None:
            if exit_.lost:
                raise WorkerLost("the reference's process was lost")
            if exit_.signal == signal.SIGXCPU:
                raise TaskInvalid(
                    f"its reference took more than {self._config.reference_seconds} s of CPU time",
                    lasting=False,
                )
            raise TaskInvalid(f"its reference ended its process: {child.output.text()[-500:]}")
        if "device_error" in answer:
            raise GpuUnhealthy(answer["device_error"])
        if "error" in answer:
            raise TaskInvalid(answer["error"])
        public.seal()
        secret.seal()
        return Reference(public, secret, **answer)

    def _evict(self) -> None:
        total = sum(reference.nbytes for reference in self._kept.values())
        while len(self._kept) > 1 and (
            len(self._kept) > self._config.kept_references
            or total > self._config.kept_reference_bytes
        ):
            _, reference = self._kept.popitem(last=False)
            total -= reference.nbytes
