"""Paths and flags for compiling rewritten submissions, and the runtime library."""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import tempfile
from functools import cache
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_RUNTIME = _HERE / "runtime"
_INCLUDE = _HERE / "include"
_LIBRARY_FLAGS = (
    "-std=c++17", "-O2", "-fPIC", "-shared", "-fno-exceptions", "-fno-rtti", "-g1", "-w",
    "-fvisibility=default", "-Wl,-Bsymbolic", "-Wl,-z,now",
)  # fmt: skip
# Functions of the C library that device code may call; the runtime wraps them.
_WRAPPED = ("printf", "vprintf", "__assert_fail", "memcpy", "memmove", "memset")


class ToolchainError(Exception):
    """The runtime library could not be built; the message says why in one sentence."""


def include_dirs() -> list[Path]:
    """Directories that hold ``cuda_runtime.h`` and the other CUDA headers."""
    return [_INCLUDE]


def compile_flags(checked: bool = True, compiler: str = "g++") -> list[str]:
    """Flags for a rewritten submission.

    Args:
        checked: instrument every memory access, so that the runtime finds
            out-of-bounds ones. Unchecked code is up to six times faster.
        compiler: a g++ of version 11 or later.

    Raises:
        ToolchainError: the compiler is not there, or too old.
    """
    flags = [
        "-x", "c++", "-std=c++17", "-O1", "-fPIC",
        # Line tables, which are all that lines.py reads, as exact as -g makes them. -g1
        # has to come after -gdwarf-4, which means -g.
        "-gdwarf-4", "-g1", "-gstatement-frontiers", "-gz=none",
        "-include", "cuda_runtime.h",  # as nvcc does
        "-fno-gnu-unique", "-fno-strict-aliasing", "-fno-builtin-printf", "-fno-tree-sra",
        "-fwrapv", "-Wno-unknown-pragmas", "-Wno-attributes",
        # A frame larger than the guard below a fiber's stack must still meet it.
        "-fstack-clash-protection",
        # GCC instruments no structure that a call passes by value or returns, so that such
        # a call has to be inlined.
        "-fno-semantic-interposition", "-finline-functions", "-finline-small-functions",
        "--param", "max-inline-insns-auto=1000", "--param", "max-inline-insns-single=1000",
    ]  # fmt: skip
    if _gcc_major(compiler) >= 12:
        flags += ["-ftrivial-auto-var-init=pattern"]  # locals that nobody wrote are poison
    if checked:
        flags += ["-fsanitize=thread", "--param", "tsan-instrument-func-entry-exit=0"]
        flags += ["--param", "tsan-distinguish-volatile=1"]
        flags += ["-fsanitize=object-size"]  # overruns of local arrays and of variables
        flags += ["-fsanitize=shift-exponent"]  # a CPU and a GPU differ in what they make of it
        flags += ["-fsanitize=float-cast-overflow"]  # a GPU saturates, a CPU does not
    return flags


@cache
def _gcc_major(compiler: str) -> int:
    major = int(_run([compiler, "-dumpversion"]).split(".")[0])
    if major < 11:
        raise ToolchainError(f"the cpu target needs g++ 11 or later; {compiler} is {major}")
    return major


def link_flags(library: Path) -> list[str]:
    """Linker flags for a submission's shared object; ``library`` is runtime_library().

    They name the default libraries, because ``-fsanitize=thread`` on the same
    command line would add libtsan to them.
    """
    wraps = [f"-Wl,--wrap={name}" for name in _WRAPPED]
    defaults = ["-nodefaultlibs", "-lstdc++", "-lm", "-lc", "-lgcc_s", "-lgcc"]
    return [str(library), *wraps, *defaults]


def runtime_library(cache_dir: Path, compiler: str = "g++") -> Path:
    """Builds ``libleap_emulator-<hash>.so`` in ``cache_dir`` unless it is there.

    The hash covers sources, flags and compiler version. Processes may build at the
    same time: each writes a file of its own and renames it.

    Raises:
        ToolchainError: there is no compiler, or it failed.
    """
    sources = [*sorted(_RUNTIME.glob("*.cpp")), _RUNTIME / f"fiber_{_machine()}.S"]
    shared = [_INCLUDE / f"leap_{name}.h" for name in ("emulator", "blas", "narrow")]
    headers = [*sorted(_RUNTIME.glob("*.h")), *shared]
    digest = hashlib.sha256(" ".join(_LIBRARY_FLAGS).encode())
    digest.update(_run([compiler, "-dumpfullversion", "-dumpmachine"]).encode())
    for path in sources + headers:
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    name = f"libleap_emulator-{digest.hexdigest()[:16]}.so"
    library = cache_dir / name
    if library.exists():
        return library
    cache_dir.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=cache_dir, suffix=".so.tmp")
    os.close(handle)
    try:
        command = [compiler, *_LIBRARY_FLAGS, f"-Wl,-soname,{name}", "-o", temporary]
        _run([*command, *map(str, sources), "-ldl"])
        Path(temporary).chmod(0o755)
        Path(temporary).replace(library)
    finally:
        Path(temporary).unlink(missing_ok=True)
    return library


def _machine() -> str:
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    if machine not in ("x86_64", "aarch64"):
        raise ToolchainError(f"the cpu target runs on x86-64 and aarch64, not on {machine}")
    return machine


def _run(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise ToolchainError(f"there is no C++ compiler {command[0]!r} on this machine") from None
    if done.returncode != 0:
        raise ToolchainError(
            f"building the emulator's runtime failed: {done.stderr.strip()[:2000]}"
        )
    return done.stdout
