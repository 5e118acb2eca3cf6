"""The emulated device, from Python: ctypes over ``libleap_emulator.so``.

One process has one device. Load the runtime before any submission's library;
then, for every call of a submission's function::

    begin_call("shuffle", seed=7)
    module.forward(x)
    report = end_call()
"""

from __future__ import annotations

import ctypes
import re
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

Order = Literal["forward", "reverse", "shuffle"]
_ORDERS: dict[str, int] = {"forward": 0, "reverse": 1, "shuffle": 2}


@dataclass(frozen=True)
class Fault:
    """The first wrong thing that a kernel did.

    ``code`` is one of ILLEGAL_MEMORY_ACCESS, MISALIGNED_ACCESS, DIVERGENT_BARRIER,
    BAD_LAUNCH, DEVICE_ASSERT, STACK_OVERFLOW. ``space`` is "global", "shared",
    "host" or "". ``kernel`` is "" for an access by host code. ``file`` and
    ``line`` are "" and 0 where unknown.
    """

    code: str
    kernel: str
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    space: str
    file: str
    line: int
    message: str


@dataclass(frozen=True)
class Report:
    """What happened between begin_call and end_call.

    ``launch_error`` is one sentence about the first launch that CUDA's limits
    refused, or ""; such a launch did not run and is not in ``kernels_launched``.
    """

    kernels_launched: int
    fault: Fault | None
    printed: str
    launch_error: str


class _Fault(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_char_p),
        ("message", ctypes.c_char_p),
        ("kernel", ctypes.c_char_p),
        ("space", ctypes.c_char_p),
        ("block", ctypes.c_uint * 3),
        ("thread", ctypes.c_uint * 3),
        ("address", ctypes.c_void_p),
        ("pc", ctypes.c_void_p),
        ("line", ctypes.c_int),
    )


class _Report(ctypes.Structure):
    _fields_ = (
        ("kernels_launched", ctypes.c_uint64),
        ("last_launch_error", ctypes.c_int),
        ("launch_error", ctypes.c_char_p),
        ("printf_text", ctypes.c_char_p),
        ("fault", _Fault),
    )


_library: ctypes.CDLL | None = None


def load(path: Path) -> None:
    """Loads the runtime library (``toolchain.runtime_library``), once per process."""
    global _library
    if _library is not None:
        return
    library = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
    library.leap_device_alloc.restype = ctypes.c_void_p
    library.leap_device_alloc.argtypes = [ctypes.c_size_t]
    library.leap_device_free.argtypes = [ctypes.c_void_p]
    library.leap_is_device_pointer.argtypes = [ctypes.c_void_p]
    library.leap_begin_call.argtypes = [ctypes.c_int, ctypes.c_uint64]
    library.leap_begin_call.restype = None
    library.leap_end_call.argtypes = [ctypes.POINTER(_Report)]
    library.leap_end_call.restype = None
    _library = library


def _loaded() -> ctypes.CDLL:
    if _library is None:
        raise RuntimeError("call verifier_gpu.emulator.runtime.load first")
    return _library


def begin_call(order: Order, seed: int) -> None:
    """Starts a call: blocks and threads run in ``order``; counters and faults are cleared."""
    _loaded().leap_begin_call(_ORDERS[order], seed & 0xFFFFFFFFFFFFFFFF)


def end_call() -> Report:
    """Ends the call and tells what happened."""
    raw = _Report()
    _loaded().leap_end_call(ctypes.byref(raw))
    fault = _fault(raw.fault) if raw.fault.code else None
    return Report(
        kernels_launched=raw.kernels_launched,
        fault=fault,
        printed=raw.printf_text.decode(errors="replace"),
        launch_error=raw.launch_error.decode(errors="replace"),
    )


def _fault(raw: _Fault) -> Fault:
    file, line = ("", raw.line) if raw.line else _source_line(raw.pc)
    return Fault(
        code=raw.code.decode(),
        kernel=raw.kernel.decode(errors="replace"),
        block=tuple(raw.block),
        thread=tuple(raw.thread),
        space=raw.space.decode(),
        file=file,
        line=line,
        message=raw.message.decode(errors="replace"),
    )


def allocate(nbytes: int) -> int:
    """Device memory between red zones, poisoned, aligned to 256; returns its address.

    Raises:
        MemoryError: the emulated device is full.
    """
    address = _loaded().leap_device_alloc(max(nbytes, 1))
    if not address:
        raise MemoryError(f"the emulated device has no room for {nbytes} bytes")
    return int(address)


def free(address: int) -> None:
    """Frees what ``allocate`` returned.

    Raises:
        ValueError: ``address`` is not the start of a live allocation.
    """
    if _loaded().leap_device_free(address):
        raise ValueError(f"{address:#x} is not a device allocation")


def is_device_pointer(address: int) -> bool:
    """Whether ``address`` lies inside a live device allocation."""
    return bool(_loaded().leap_is_device_pointer(address))


@cache
def _source_line(pc: int | None) -> tuple[str, int]:
    """File and line of an instruction, by ``addr2line`` (binutils come with g++)."""
    if not pc:
        return "", 0
    for row in Path("/proc/self/maps").read_text().splitlines():
        found = re.match(r"([0-9a-f]+)-([0-9a-f]+) \S+ ([0-9a-f]+) \S+ \S+\s+(/.*)", row)
        if found and int(found[1], 16) <= pc < int(found[2], 16):
            # The call's return address lies behind the statement: one byte back.
            offset = pc - int(found[1], 16) + int(found[3], 16) - 1
            return _addr2line(found[4], offset)
    return "", 0


def _addr2line(path: str, offset: int) -> tuple[str, int]:
    command = ["addr2line", "-e", path, hex(offset)]
    try:
        out = subprocess.run(
            command, capture_output=True, text=True, timeout=10, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return "", 0
    found = re.match(r"(.*):(\d+)", out)
    return (Path(found[1]).name, int(found[2])) if found and found[1] != "??" else ("", 0)
