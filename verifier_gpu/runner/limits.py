"""What a child process may use, set by the child on itself before foreign code runs.

The outer limits (wall clock, killing the group) are the server's: these make a
runaway end early and by a known signal.
"""

from __future__ import annotations

import ctypes
import os
import resource
import signal
from dataclasses import asdict, dataclass

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_NO_NEW_PRIVS = 38


@dataclass(frozen=True)
class Limits:
    """Limits of one child. None: not limited."""

    cpu_seconds: int | None = None
    file_bytes: int | None = None  # largest file, anonymous ones included

    def to_json(self) -> dict[str, object]:
        return asdict(self)


def apply(limits: Limits) -> None:
    """Sets the limits on the calling process. They cannot be raised again."""
    prctl(_PR_SET_NO_NEW_PRIVS, 1)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if limits.cpu_seconds is not None:
        # The soft limit sends SIGXCPU, which names the reason; the hard one kills.
        resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_seconds, limits.cpu_seconds + 1))
    if limits.file_bytes is not None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)  # the write fails with EFBIG instead
        resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_bytes, limits.file_bytes))


def die_with(parent: int) -> None:
    """Ends the calling process when process `parent`, which forked it, ends or has ended."""
    prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:  # it ended before there was a signal to send
        os._exit(1)


def limit_memory(nbytes: int) -> None:
    """Bounds the address space to what the process has mapped by now, and `nbytes` more."""
    ceiling = _address_space_bytes() + nbytes
    resource.setrlimit(resource.RLIMIT_AS, (ceiling, ceiling))


def hide_memory() -> None:
    """Denies other processes of the same user this one's memory (/proc/<pid>/mem, ptrace)."""
    prctl(_PR_SET_DUMPABLE, 0)


def prctl(option: int, argument: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(option, argument, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), f"prctl({option})")


def _address_space_bytes() -> int:
    with open("/proc/self/statm") as statm:  # noqa: PTH123 - no need for pathlib in a child
        return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
