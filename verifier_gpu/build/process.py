"""Untrusted compiler processes: a group of their own, limits, bounded output."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Limits:
    """Limits of one child: seconds of CPU, bytes of address space, bytes of one file."""

    cpu_seconds: int = 120
    memory_bytes: int = 12 << 30
    file_bytes: int = 512 << 20
    output_bytes: int = 256 << 10


@dataclass(frozen=True)
class Finished:
    """``status`` is the exit status, negative for a signal. ``output`` is stdout and
    stderr in the order written, its middle cut out where it was too long."""

    status: int
    output: str
    timed_out: bool = False


async def run(
    command: Sequence[str], directory: Path, timeout_seconds: float, limits: Limits
) -> Finished:
    """Runs a command in ``directory`` and waits for it.

    The whole process group is killed on timeout and on cancellation.
    """
    process = await asyncio.create_subprocess_exec(
        *_limited(command, limits),
        cwd=directory,
        env=_environment(directory),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        start_new_session=True,
    )
    timed_out = False
    reading = asyncio.ensure_future(_read(process.stdout, limits.output_bytes))
    try:
        output = await asyncio.wait_for(asyncio.shield(reading), timeout_seconds)
    except TimeoutError:
        timed_out = True
        _kill_group(process.pid)
        output = await reading
    except BaseException:
        _kill_group(process.pid)
        await asyncio.shield(reading)
        raise
    finally:
        # Whatever the compiler left behind in its group goes with it.
        _kill_group(process.pid)
        status = await process.wait()
    return Finished(status, output, timed_out)


async def _read(stream: asyncio.StreamReader | None, limit: int) -> str:
    """Everything from the stream: its first and last ``limit / 2`` bytes."""
    assert stream is not None
    head, tail, dropped = b"", b"", 0
    while chunk := await stream.read(1 << 16):
        room = limit // 2 - len(head)
        head += chunk[:room]
        tail += chunk[max(room, 0) :]
        if len(tail) > limit // 2:
            dropped += len(tail) - limit // 2
            tail = tail[-(limit // 2) :]
    cut = f"\n... {dropped} bytes left out ...\n".encode() if dropped else b""
    return (head + cut + tail).decode(errors="replace")


def _limited(command: Sequence[str], limits: Limits) -> list[str]:
    """The command behind a shell that sets the limits.

    A function run between fork and exec would do it too, but is not safe in a
    server that has threads, and costs a copy of its page tables.
    """
    script = (
        f"ulimit -t {limits.cpu_seconds}; ulimit -v {limits.memory_bytes >> 10}; "
        f'ulimit -f {limits.file_bytes >> 9}; ulimit -c 0; exec "$@"'
    )
    return ["/bin/sh", "-c", script, "sh", *command]


def _environment(directory: Path) -> dict[str, str]:
    keep = ("PATH", "HOME", "LD_LIBRARY_PATH", "CUDA_HOME")
    kept = {name: os.environ[name] for name in keep if name in os.environ}
    return {**kept, "LC_ALL": "C.UTF-8", "TMPDIR": str(directory)}


def _kill_group(group: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, signal.SIGKILL)
