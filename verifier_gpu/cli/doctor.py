"""`leap-verifier doctor`: what works on this machine, what is missing, and what mends it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from verifier_gpu.cli.common import EXIT_INFRA, EXIT_PASSED
from verifier_gpu.service.config import default_cache_dir
from verifier_gpu.service.hardware import Hardware, detect, version


@dataclass(frozen=True)
class Finding:
    """One thing looked at. `mend`: the command that mends it."""

    name: str
    works: bool
    detail: str
    mend: str = ""
    needed_for: str = ""  # "cpu", "cuda" or "both"


def doctor() -> None:
    """Say what works here and what is missing.

    Exit code 0: at least one target works; 2: none does.

    Example:

        leap-verifier doctor
    """
    hardware = detect()
    findings = [check(hardware) for check in _CHECKS]
    table = Table(box=None, pad_edge=False)
    for title in ("", "part", "found", "to mend"):
        table.add_column(title, overflow="fold")
    for finding in findings:
        mark = Text("ok", "green") if finding.works else Text("missing", "red")
        mend = "" if finding.works else finding.mend
        row = (mark, Text(finding.name), Text(finding.detail), Text(mend))
        table.add_row(*row)
    console = Console(highlight=False)
    console.print(table)
    working = [
        target
        for target in ("cpu", "cuda")
        if all(f.works for f in findings if f.needed_for in (target, "both"))
    ]
    for target in ("cpu", "cuda"):
        console.print(f"target {target}: {'works' if target in working else 'does not work here'}")
    raise typer.Exit(EXIT_PASSED if working else EXIT_INFRA)


def _compiler(hardware: Hardware) -> Finding:
    found = hardware.compiler
    return Finding("C++ compiler", bool(found), found or "no g++", "apt install g++", "both")


def _torch(hardware: Hardware) -> Finding:
    found = version("torch")
    return Finding(
        "torch", bool(found), found or "not installed", "pip install 'leap-rl[verifier]'", "both"
    )


def _emulator(hardware: Hardware) -> Finding:
    from verifier_gpu.emulator.toolchain import ToolchainError, runtime_library

    try:
        library = runtime_library(default_cache_dir())
    except (ToolchainError, OSError) as error:
        return Finding("CUDA emulation", False, str(error), "apt install g++ binutils", "cpu")
    return Finding("CUDA emulation", True, library.name, "", "cpu")


def _cache(hardware: Hardware) -> Finding:
    place = default_cache_dir()
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=place):
            free = shutil.disk_usage(place).free
    except OSError as error:
        return Finding(
            "build cache", False, f"{place}: {error.strerror}", f"mkdir -p {place}", "both"
        )
    return Finding("build cache", True, f"{place}, {free / 1e9:.0f} GB free", "", "both")


def _nvcc(hardware: Hardware) -> Finding:
    found = hardware.cuda
    mend = "install the CUDA toolkit and put its bin folder on PATH"
    return Finding("nvcc", bool(found), found or "not on PATH", mend if not found else "", "cuda")


def _gpu(hardware: Hardware) -> Finding:
    if not hardware.gpus:
        return Finding(
            "NVIDIA GPU", False, "; ".join(hardware.notes) or "none", "nvidia-smi", "cuda"
        )
    names = ", ".join(f"{gpu.name} ({gpu.architecture})" for gpu in hardware.gpus)
    return Finding("NVIDIA GPU", True, f"{names}, driver {hardware.driver}", "", "cuda")


def _processes(hardware: Hardware) -> Finding:
    works = Path("/proc/self/statm").exists()
    detail = "mounted" if works else "not mounted"
    return Finding("Linux /proc", works, detail, "mount -t proc proc /proc", "both")


def _sandbox(hardware: Hardware) -> Finding:
    """Tried in a process of its own; a verdict does not depend on it, so no target does."""
    program = (
        "import sys; from pathlib import Path; from verifier_gpu.runner.limits import prctl\n"
        "from verifier_gpu.runner.sandbox import confine\n"
        "prctl(38, 1); print('; '.join(confine(Path(sys.argv[1]))))"
    )
    with tempfile.TemporaryDirectory() as scratch:
        done = subprocess.run(
            [sys.executable, "-c", program, scratch], capture_output=True, text=True, check=False
        )
    missing = (done.stdout + done.stderr).strip()
    mend = "Linux 5.13 or later, with landlock among the kernel's security modules"
    return Finding("sandbox", not missing, missing or "seccomp, landlock, no privileges", mend)


_CHECKS: tuple[Callable[[Hardware], Finding], ...] = (
    _compiler,
    _torch,
    _emulator,
    _cache,
    _processes,
    _sandbox,
    _nvcc,
    _gpu,
)
