"""Compilers, include directories, and the runtime library behind the slim headers."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from verifier_gpu import emulator
from verifier_gpu.build.request import Target
from verifier_gpu.emulator.toolchain import ToolchainError

HERE = Path(__file__).resolve().parent
HEADERS = HERE / "headers"
_NATIVE = HERE / "native"
_RUNTIME_SOURCES = (
    "slim_messages.cpp", "slim_tensors.cpp", "slim_calls.cpp", "slim_binding.cpp",
    "values.cpp", "operations.cpp", "binding.cpp", "tensor.cpp",
)  # fmt: skip
_PLACEMENT: dict[Target, str] = {"cuda": "placement_cuda.cpp", "cpu": "placement_emulated.cpp"}
_RUNTIME_FLAGS = ("-std=c++17", "-O1", "-fPIC", "-shared", "-fvisibility=hidden", "-w")


@lru_cache
def cxx() -> str:
    """The C++ compiler's path.

    Raises:
        ToolchainError: there is none.
    """
    found = shutil.which("g++")
    if found is None:
        raise ToolchainError("there is no g++ on this machine; install it")
    return found


@lru_cache
def nvcc() -> str:
    """nvcc's path, from PATH or below CUDA_HOME.

    Raises:
        ToolchainError: there is none.
    """
    home = Path(os.environ.get("CUDA_HOME", "/usr/local/cuda"))
    found = shutil.which("nvcc") or shutil.which("nvcc", path=home / "bin")
    if found is None:
        raise ToolchainError("there is no nvcc on this machine; install the CUDA toolkit")
    return found


@lru_cache
def version(compiler: str) -> str:
    """What the compiler says of itself, for cache keys and provenance."""
    done = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip()


@lru_cache
def headers_digest() -> str:
    """Digest of every header that a submission can see: ours and the emulator's."""
    digest = hashlib.sha256()
    roots = (HEADERS, Path(emulator.__file__).parent / "include")
    for path in sorted(p for root in roots for p in root.rglob("*") if p.is_file()):
        digest.update(str(path).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


@dataclass(frozen=True)
class Libraries:
    """What modules are linked against: the torch runtime; on the cpu target the emulator, on
    the cuda target what counts launches."""

    torch_runtime: Path
    emulator: Path | None
    launches: Path | None


_libraries: dict[tuple[Path, Target], Libraries] = {}
_libraries_lock = threading.Lock()


def libraries(directory: Path, target: Target) -> Libraries:
    """The target's libraries in ``directory``, built on first use.

    Raises:
        ToolchainError: there is no compiler, or it failed.
    """
    with _libraries_lock:
        found = _libraries.get((directory, target))
        if found is None or not found.torch_runtime.exists():
            runtime = _torch_runtime(directory, target)
            if target == "cpu":
                found = Libraries(runtime, emulator.toolchain.runtime_library(directory), None)
            else:
                found = Libraries(runtime, None, _launch_counter(directory))
            _libraries[directory, target] = found
        return found


def _torch_runtime(cache_dir: Path, target: Target) -> Path:
    sources = [_NATIVE / name for name in (*_RUNTIME_SOURCES, _PLACEMENT[target])]
    return _library(cache_dir, f"libleap_torch-{target}", sources, ())


def _launch_counter(cache_dir: Path) -> Path:
    words = (*(f"-L{path}" for path in cuda_libraries()), "-Wl,--no-as-needed", "-lcudart")
    return _library(cache_dir, "libleap_launches", [_NATIVE / "launches.cpp"], words)


def _library(cache_dir: Path, name: str, sources: list[Path], link: tuple[str, ...]) -> Path:
    """``name``-<hash>.so in ``cache_dir``, built unless it is there."""
    digest = hashlib.sha256(" ".join((version(cxx()), name, *_RUNTIME_FLAGS, *link)).encode())
    for path in [*sources, *sorted(_NATIVE.glob("*.h")), *sorted(HEADERS.glob("leap/*.h"))]:
        digest.update(path.read_bytes())
    library = cache_dir / f"{name}-{digest.hexdigest()[:16]}.so"
    if library.exists():
        return library
    cache_dir.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache_dir) as scratch:
        temporary = Path(scratch) / "library.so"
        command = [cxx(), *_RUNTIME_FLAGS, f"-Wl,-soname,{library.name}", "-o", str(temporary)]
        command += [*map(str, sources), *link]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ToolchainError(f"building {name} failed: {done.stderr[:2000]}")
        temporary.replace(library)
    return library


@lru_cache
def has_gold() -> bool:
    """Whether the faster linker is there."""
    return shutil.which("ld.gold") is not None


@lru_cache
def _cuda_root() -> Path:
    """The toolkit that nvcc belongs to, by its own word: nvcc may be a wrapper elsewhere."""
    command = [nvcc(), "--dryrun", "-c", "-x", "cu", os.devnull]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"^#\$ TOP=(.+)$", done.stderr, re.MULTILINE)
    if found is None:
        raise ToolchainError("nvcc does not say where the CUDA toolkit is")
    return Path(found[1].strip()).resolve()


def cuda_includes() -> list[Path]:
    """Directories of the CUDA toolkit's headers."""
    found = [_cuda_root() / "include", *_cuda_root().glob("targets/*/include")]
    return [path for path in found if path.is_dir()]


def cuda_libraries() -> list[Path]:
    """Directories of the CUDA toolkit's libraries."""
    found = [_cuda_root() / "lib64", _cuda_root() / "lib", *_cuda_root().glob("targets/*/lib")]
    return [path for path in found if path.is_dir()]


@dataclass(frozen=True)
class Cublas:
    """Where cuBLAS is, beyond what the compilers search: its headers, and words for the linker."""

    includes: tuple[Path, ...]
    link: tuple[str, ...]


@lru_cache
def cublas() -> Cublas | None:
    """The CUDA toolkit's cuBLAS, or that of the wheel which torch brings; None: neither."""
    if any((path / "cublas_v2.h").exists() for path in cuda_includes()):
        return Cublas((), ("-lcublas",))
    wheels = importlib.util.find_spec("nvidia")
    for root in (wheels and wheels.submodule_search_locations) or ():
        for header in Path(root).glob("*/include/cublas_v2.h"):
            for library in header.parent.parent.glob("lib/libcublas.so*"):
                return Cublas((header.parent,), (str(library),))
    return None
