"""The emulated device, from Python: ctypes over ``libleap_emulator.so``.

One process has one device. Load the runtime before any submission's library;
then, for every call of a submission's function::

    begin_call("shuffle", seed=7)
    module.forward(x)
    report = end_call()
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

from verifier_gpu.emulator.lines import source_line
from verifier_gpu.emulator.toolchain import include_dirs

Order = Literal["forward", "reverse", "shuffle"]
_ORDERS: dict[str, int] = {"forward": 0, "reverse": 1, "shuffle": 2}


@dataclass(frozen=True)
class Fault:
    """The first wrong thing that a kernel did.

    ``code`` is one of ILLEGAL_MEMORY_ACCESS, MISALIGNED_ACCESS, DIVERGENT_BARRIER,
    DATA_RACE, BAD_LAUNCH, DEVICE_ASSERT, STACK_OVERFLOW, DIVISION_BY_ZERO,
    UNSUPPORTED, COMPILE_ERROR (what nvcc refuses, and only its execution
    shows here).
    ``space`` is "global", "shared", "host" or "". ``kernel`` is "" for an access by host
    code or a library. ``file`` and ``line`` are "" and 0 where unknown.
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
    ``unwritten`` is the first read of device or shared memory that nobody had
    written, code UNWRITTEN_MEMORY: no fault on a GPU, but the likely cause of a
    wrong result.
    ``library_calls`` names the routines of CUDA's libraries that ran, which count as
    launches: "cublasSgemm, cublasSaxpy", or "".
    """

    kernels_launched: int
    fault: Fault | None
    unwritten: Fault | None
    printed: str
    launch_error: str
    library_calls: str


class _Fault(ctypes.Structure):
    _fields_ = (
        ("code", ctypes.c_char_p),
        ("message", ctypes.c_char_p),
        ("kernel", ctypes.c_char_p),
        ("space", ctypes.c_char_p),
        ("block", ctypes.c_uint * 3),
        ("thread", ctypes.c_uint * 3),
        ("address", ctypes.c_void_p),
        ("file", ctypes.c_char_p),
        ("line", ctypes.c_int),
        ("module", ctypes.c_char_p),
        ("offset", ctypes.c_uint64),
    )


class _Report(ctypes.Structure):
    _fields_ = (
        ("kernels_launched", ctypes.c_uint64),
        ("last_launch_error", ctypes.c_int),
        ("launch_error", ctypes.c_char_p),
        ("printf_text", ctypes.c_char_p),
        ("fault", _Fault),
        ("unwritten", _Fault),
        ("library_calls", ctypes.c_char_p),
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
    library.leap_untaken_error.argtypes = [ctypes.POINTER(ctypes.c_int)]
    library.leap_untaken_error.restype = ctypes.c_char_p
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


def untaken_error() -> tuple[str, bool]:
    """What the error says that the call leaves for the next check to find ("": none or a
    fault), and whether a refused launch made it."""
    of_launch = ctypes.c_int()
    text: bytes = _loaded().leap_untaken_error(ctypes.byref(of_launch))
    return text.decode(errors="replace"), bool(of_launch.value)


def end_call() -> Report:
    """Ends the call and tells what happened."""
    raw = _Report()
    _loaded().leap_end_call(ctypes.byref(raw))
    return Report(
        kernels_launched=raw.kernels_launched,
        fault=_fault(raw.fault) if raw.fault.code else None,
        unwritten=_fault(raw.unwritten) if raw.unwritten.code else None,
        printed=raw.printf_text.decode(errors="replace"),
        launch_error=raw.launch_error.decode(errors="replace"),
        library_calls=raw.library_calls.decode(errors="replace"),
    )


def _fault(raw: _Fault) -> Fault:
    file, line = "", 0
    if raw.module:
        file, line = source_line(Path(raw.module.decode()), raw.offset, _header_names())
    if raw.file:
        file = Path(raw.file.decode(errors="replace")).name
    line = raw.line or line  # the header's own word, where it has one
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


@cache
def _header_names() -> frozenset[str]:
    headers = [path for directory in include_dirs() for path in directory.rglob("*.h")]
    return frozenset(path.name for path in headers)


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
