"""The server's view of a candidate's process. Everything that it says is untrusted."""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from verifier_gpu.runner.channel import ChannelError, Message
from verifier_gpu.runner.limits import Limits
from verifier_gpu.service.budget import Budget
from verifier_gpu.service.files import AnonymousFile
from verifier_gpu.service.leases import Turn
from verifier_gpu.service.processes import Child, Exit, WorkerLost
from verifier_gpu.service.record import Stop

#: Builds what `load_inline` asked for; raises Stop if it does not build.
OnBuild = Callable[[Message], Awaitable[Path]]

#: Codes that a candidate's process may report of itself; anything else is RUNTIME_ERROR.
_OWN_CODES = frozenset(
    {
        "IMPORT_ERROR",
        "INIT_ERROR",
        "RUNTIME_ERROR",
        "ILLEGAL_MEMORY_ACCESS",
        "OUT_OF_MEMORY",
        "DATA_RACE",
        "DIVERGENT_BARRIER",
        "BAD_LAUNCH",
        "UNSUPPORTED",
        "COMPILE_ERROR",
        "GPU_UNHEALTHY",
    }
)
_MAX_BUILDS = 16


class Candidate:
    """One submission in its process: load it, call it, close it."""

    def __init__(
        self,
        child: Child,
        gpu: int,
        limits: Limits,
        budget: Budget,
        turn: Turn,
        on_build: OnBuild,
    ) -> None:
        self._child = child
        self.gpu = gpu  # index of its GPU, target cuda
        self._turn = turn
        self._limits = limits
        self._budget = budget
        self._on_build = on_build
        self.builds = 0  # extensions that it has asked for
        self.outputs = AnonymousFile("leap-outputs")

    async def load(self, job: Message, public: AnonymousFile) -> list[str]:
        """Imports, binds and constructs the submission; returns its notes. Raises Stop."""
        await self._turn.take()
        files = [public.fd, self.outputs.fd]
        message = await self._exchange(job, "loaded", "loading the submission", files)
        notes = message.get("notes")
        return [str(note)[:1000] for note in notes[:20]] if isinstance(notes, list) else []

    async def call(self, draw: int, order: str, seed: int) -> Message:
        """One forward; its outputs lie in `outputs`, described by "header". Raises Stop."""
        request = {"op": "call", "draw": draw, "order": order, "seed": seed}
        return await self._exchange(request, "outputs", "forward")

    async def hold_gpu_alone(self) -> None:
        """Waits until no other process computes on its GPU; from here on none does."""
        await self._turn.take_alone()

    async def time(self, draw: int, calls: int) -> list[float]:
        """Milliseconds of `calls` calls, as the process says. Raises Stop."""
        request = {"op": "time", "draw": draw, "calls": calls}
        times = (await self._exchange(request, "times", "timing")).get("milliseconds")
        if (
            not isinstance(times, list)
            or len(times) != calls
            or not all(isinstance(t, float) and 0 < t < 1e7 for t in times)
        ):
            raise Stop("REWARD_HACK", "the submission's process reported impossible times")
        return times

    async def close(self) -> Exit:
        try:
            return await self._child.close()
        finally:
            self._turn.release()  # only now that its context is gone

    @property
    def printed(self) -> str:
        """What the submission printed, cut in the middle."""
        return self._child.output.text()

    async def _exchange(
        self, request: Message, wanted: str, what: str, files: Sequence[int] = ()
    ) -> Message:
        message = await self._ask(request, what, files)
        while message.get("event") == "build":  # which is not counted as the submission's time
            answer = {"artifact": str(await self._build(message))}
            message = await self._ask(answer, what)
        if message.get("event") == wanted:
            return message
        raise _reported(message)

    async def _ask(self, request: Message, what: str, files: Sequence[int] = ()) -> Message:
        try:
            async with self._budget.spend(what):
                await self._child.send(request, files)
                return await self._child.receive()
        except ChannelError as error:
            self._child.kill()
            raise self._end_of_process(await self._child.exited, what, error) from None

    async def _build(self, message: Message) -> Path:
        self.builds += 1
        if self.builds > _MAX_BUILDS:
            raise Stop("FORBIDDEN", f"the submission builds more than {_MAX_BUILDS} extensions")
        request = message.get("request")
        held = self._turn.release()  # a build never holds a GPU
        artifact = await self._on_build(request if isinstance(request, dict) else {})
        if held:
            await self._turn.take()
        return artifact

    def _end_of_process(self, exit_: Exit, what: str, error: ChannelError) -> Exception:
        """Why a process ended without an answer."""
        if exit_.lost:
            return WorkerLost("the candidate's process was lost with its zygote")
        limit = self._limits.cpu_seconds
        if exit_.signal == signal.SIGXCPU or (limit is not None and exit_.cpu_seconds >= limit):
            return Stop("TIMEOUT", f"{what} used more than {limit} s of CPU time")
        if exit_.signal in (signal.SIGSEGV, signal.SIGBUS):
            name = signal.Signals(exit_.signal).name
            return Stop("RUNTIME_ERROR", f"the process crashed in host code during {what}: {name}")
        if exit_.signal == signal.SIGKILL and "closed its channel" not in str(error):
            return Stop("RUNTIME_ERROR", f"{what} sent a malformed message: {error}")
        if exit_.signal:
            name = signal.Signals(exit_.signal).name
            return Stop("RUNTIME_ERROR", f"the process was killed by {name} during {what}")
        text = f"the process ended itself (exit code {exit_.code}) during {what}"
        return Stop("RUNTIME_ERROR", text)


def _reported(message: Message) -> Stop:
    """The failure that a candidate's process reported."""
    code, text = message.get("code"), message.get("message")
    diagnostics, fault = message.get("diagnostics"), message.get("fault")
    details: dict[str, Any] = {
        "diagnostics": [entry for entry in diagnostics if isinstance(entry, dict)]
        if isinstance(diagnostics, list)
        else [],
        "fault": fault if isinstance(fault, dict) else None,
    }
    known = isinstance(code, str) and code in _OWN_CODES
    return Stop(
        str(code) if known else "RUNTIME_ERROR",
        text if isinstance(text, str) else "the submission's process reported nonsense",
        **details,
    )
