"""What a build is asked and what it answers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Target = Literal["cuda", "cpu"]
Road = Literal["slim", "torch"]
Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True)
class SourceFile:
    """One source text; ``name`` is what diagnostics call it, for example "submission.cu"."""

    name: str
    text: str
    language: Literal["cuda", "cpp"]


@dataclass(frozen=True)
class BuildRequest:
    """Sources that become one extension module.

    ``functions`` names the functions to bind, as ``load_inline`` does; their
    declarations may stand in a ``cpp`` source and their definitions in a ``cuda``
    one. Empty: the sources have a PYBIND11_MODULE, or else define ``forward``.
    ``builder`` picks the headers: "slim" ours, "torch" torch's, "auto" ours with
    torch's as the fallback.
    """

    target: Target
    sources: tuple[SourceFile, ...]
    functions: tuple[str, ...] = ()
    architecture: str = "sm_90"
    extra_cuda_cflags: tuple[str, ...] = ()
    extra_cflags: tuple[str, ...] = ()
    extra_ldflags: tuple[str, ...] = ()
    builder: Literal["auto", "slim", "torch"] = "auto"


@dataclass(frozen=True)
class Diagnostic:
    """One compiler message. ``line`` and ``column`` are 1-based, 0 where unknown."""

    file: str
    line: int
    column: int
    severity: Severity
    message: str


@dataclass(frozen=True)
class KernelResources:
    """What ptxas says of one kernel, bytes per thread (spills) and per block (shared)."""

    kernel: str
    registers: int
    spill_bytes: int
    shared_bytes: int


@dataclass(frozen=True)
class BuildResult:
    """``code`` is None for a success, else a name of the contract's Code without "CODE_":
    COMPILE_ERROR, LINK_ERROR, FORBIDDEN, TIMEOUT, UNSUPPORTED or INTERNAL."""

    artifact: Path | None
    road: Road
    code: str | None
    message: str = ""
    diagnostics: tuple[Diagnostic, ...] = ()
    kernels: tuple[KernelResources, ...] = ()
    cache_hit: bool = False
    seconds: float = 0.0
