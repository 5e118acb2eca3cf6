"""Child processes of the server: spawned by the zygote, watched and killed from here."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from verifier_gpu.runner.channel import ChannelError, Message, encode, read_frame
from verifier_gpu.runner.limits import Limits

Role = Literal["candidate", "reference", "judge"]

#: What is kept of a child's output: this much of its beginning and of its end, bytes.
OUTPUT_CAP = 8192
_START_SECONDS = 120.0


class WorkerLost(Exception):
    """A process of ours died or could not be started. Not the candidate's fault."""


@dataclass(frozen=True)
class Exit:
    """How a child ended. `signal` is 0 unless one killed it; `lost`: it went with the zygote."""

    code: int
    signal: int
    cpu_seconds: float
    rss_bytes: int
    lost: bool = False


class Output:
    """Beginning and end of what a child printed; the middle is dropped."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self._dropped = 0

    def add(self, data: bytes) -> None:
        room = OUTPUT_CAP - len(self._head)
        self._head += data[:room]
        self._tail += data[max(room, 0) :]
        if len(self._tail) > OUTPUT_CAP:
            self._dropped += len(self._tail) - OUTPUT_CAP
            del self._tail[:-OUTPUT_CAP]

    def text(self) -> str:
        middle = f"\n... {self._dropped} bytes ...\n".encode() if self._dropped else b""
        return bytes(self._head + middle + self._tail).decode(errors="replace")


@dataclass
class Child:
    """A running child. `exited` resolves when the zygote has reaped it."""

    spawn_id: int
    pid: int
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    output: Output
    exited: asyncio.Future[Exit]
    _zygote: Zygote = field(repr=False)
    _lane: socket.socket | None = None

    async def send(self, message: Message, files: Sequence[int] = ()) -> None:
        """Sends a message; `files` are descriptors for a child spawned with `lane=True`."""
        try:
            if files:
                assert self._lane is not None, "this child takes no files"
                socket.send_fds(self._lane, [b"F"], list(files))
            self.writer.write(encode(message))
            await self.writer.drain()
        except (ConnectionError, BlockingIOError):
            raise ChannelError("the process closed its channel") from None

    async def receive(self) -> Message:
        """The child's next message. Raises ChannelError when it has ended."""
        return await read_frame(self.reader)

    def kill(self) -> None:
        """Kills the child with its group; returns at once (see `exited`)."""
        if not self.exited.done():
            self._zygote.kill(self.spawn_id)

    async def close(self) -> Exit:
        """Kills the child if it still runs, waits for its end and frees what belongs to it."""
        self.kill()
        try:
            return await asyncio.shield(self.exited)
        finally:
            self.writer.close()
            if self._lane is not None:
                self._lane.close()


class Zygote:
    """The server's end of `verifier_gpu.runner.zygote`; started again when it dies."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._control: socket.socket | None = None
        self._ids = itertools.count(1)
        self._spawning: dict[int, asyncio.Future[int]] = {}
        self._exits: dict[int, asyncio.Future[Exit]] = {}
        self._ready: asyncio.Future[None] | None = None
        self._starting = asyncio.Lock()

    async def start(self) -> None:
        """Execs the zygote and waits until it has imported torch (seconds)."""
        async with self._starting:
            if self._control is not None:
                return
            ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
            ours.setblocking(False)
            loop = asyncio.get_running_loop()
            self._ready = loop.create_future()
            with theirs:
                self._process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    "-m",
                    "verifier_gpu.runner.zygote",
                    "--control",
                    str(theirs.fileno()),
                    pass_fds=[theirs.fileno()],
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=asyncio.subprocess.DEVNULL,
                    env=_environment(),
                    start_new_session=True,
                )
            self._control = ours
            loop.add_reader(ours, self._on_datagram)
            try:
                await asyncio.wait_for(self._ready, _START_SECONDS)
            except TimeoutError:
                await self.stop()
                raise WorkerLost("the zygote process did not start in time") from None

    async def stop(self) -> None:
        """Ends the zygote and with it every child."""
        self._lose("the verifier is shutting down")
        if self._process is not None:
            try:
                await asyncio.wait_for(self._process.wait(), 5)
            except TimeoutError:
                self._process.kill()
                await self._process.wait()
            self._process = None

    async def spawn(
        self, role: Role, limits: Limits, files: Sequence[int] = (), *, lane: bool = False
    ) -> Child:
        """Forks a child. `files` become its descriptors; with `lane`, more can be sent later.

        Raises WorkerLost if there is no zygote to fork it.
        """
        await self.start()
        assert self._control is not None
        loop = asyncio.get_running_loop()
        spawn_id = next(self._ids)
        spawned: asyncio.Future[int] = loop.create_future()
        exited: asyncio.Future[Exit] = loop.create_future()
        self._spawning[spawn_id], self._exits[spawn_id] = spawned, exited
        channel, channel_end = socket.socketpair()
        output_read, output_write = os.pipe()
        lane_ours, lane_theirs = socket.socketpair() if lane else (None, None)
        theirs = [channel_end.fileno(), output_write]
        theirs += [lane_theirs.fileno()] if lane_theirs is not None else []
        request = {"spawn": spawn_id, "role": role, "limits": limits.to_json()}
        try:
            socket.send_fds(self._control, [json.dumps(request).encode()], [*theirs, *files])
            pid = await asyncio.shield(spawned)
        except BaseException as error:
            # Cancelled meanwhile: the child may exist already or soon.
            self.kill(spawn_id)
            channel.close()
            os.close(output_read)
            if lane_ours is not None:
                lane_ours.close()
            if isinstance(error, OSError):
                raise WorkerLost("the zygote process is gone") from None
            raise
        finally:
            channel_end.close()
            os.close(output_write)
            if lane_theirs is not None:
                lane_theirs.close()
            self._spawning.pop(spawn_id, None)
        output = Output()
        _drain(loop, output_read, output)
        reader, writer = await asyncio.open_connection(sock=channel)
        return Child(spawn_id, pid, reader, writer, output, exited, self, lane_ours)

    def kill(self, spawn_id: int) -> None:
        if self._control is not None:
            with contextlib.suppress(OSError):
                self._control.send(json.dumps({"kill": spawn_id}).encode())

    def _on_datagram(self) -> None:
        assert self._control is not None
        try:
            data = self._control.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._lose("the zygote process died")
            return
        message: dict[str, Any] = json.loads(data)
        if "ready" in message and self._ready is not None:
            _resolve(self._ready, None)
        elif "spawned" in message:
            _resolve(self._spawning.get(message["spawned"]), message["pid"])
        elif "failed" in message:
            self._exits.pop(message["failed"], None)
            spawning = self._spawning.get(message["failed"])
            if spawning is not None and not spawning.done():
                spawning.set_exception(WorkerLost(f"fork failed: {message['reason']}"))
        elif "exited" in message:
            exit_ = Exit(
                message["code"], message["signal"], message["cpu_seconds"], message["rss_bytes"]
            )
            _resolve(self._exits.pop(message["exited"], None), exit_)

    def _lose(self, reason: str) -> None:
        """Everything that waited for the zygote fails; the next spawn starts another."""
        if self._control is None:
            return
        asyncio.get_running_loop().remove_reader(self._control)
        self._control.close()
        self._control = None
        for future in [self._ready, *self._spawning.values()]:
            if future is not None and not future.done():
                future.set_exception(WorkerLost(reason))
                future.exception()  # mark it as seen: the waiter may be gone
        for exited in self._exits.values():
            _resolve(exited, Exit(code=0, signal=9, cpu_seconds=0.0, rss_bytes=0, lost=True))
        self._spawning.clear()
        self._exits.clear()


def _resolve(future: asyncio.Future[Any] | None, result: object) -> None:
    if future is not None and not future.done():
        future.set_result(result)


def _drain(loop: asyncio.AbstractEventLoop, fd: int, output: Output) -> None:
    """Reads a child's output until every writer has closed it."""
    os.set_blocking(fd, False)

    def on_readable() -> None:
        try:
            data = os.read(fd, 1 << 16)
        except BlockingIOError:
            return
        if data:
            output.add(data)
        else:
            loop.remove_reader(fd)
            os.close(fd)

    loop.add_reader(fd, on_readable)


def _environment() -> dict[str, str]:
    """The server's environment, with torch held to one thread and no secrets of the service."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("LEAP_VERIFIER_")}
    single = dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1")
    return {**kept, **single, "PYTHONUNBUFFERED": "1", "PYTHONDONTWRITEBYTECODE": "1"}
