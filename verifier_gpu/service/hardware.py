"""What this machine has: GPUs, compilers, versions. Looks without importing torch."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass, field
from typing import Literal

from protos.leap.verifier.v1 import verifier_pb2 as pb
from verifier_gpu import __version__


@dataclass(frozen=True)
class Hardware:
    """The machine as found at start."""

    gpus: tuple[pb.Gpu, ...] = ()
    driver: str = ""
    cuda: str = ""  # nvcc's version; empty without nvcc
    compiler: str = ""  # first line of `g++ --version`; empty without g++
    notes: tuple[str, ...] = field(default=())  # why something is missing

    @property
    def targets(self) -> tuple[Literal["cuda", "cpu"], ...]:
        """Targets that can run here, the preferred one first."""
        if not self.compiler:
            return ()
        return ("cuda", "cpu") if self.gpus and self.cuda else ("cpu",)

    @property
    def architecture(self) -> str:
        """Architecture that builds are made for; the emulation reads a text as for Hopper."""
        return self.gpus[0].architecture if self.gpus else "sm_90"

    def provenance(self, target: str) -> pb.Provenance:
        """Where a verdict on `target` comes from."""
        result = pb.Provenance(
            verifier_version=__version__,
            target=pb.TARGET_CUDA if target == "cuda" else pb.TARGET_CPU,
            compiler=self.compiler,
            torch=version("torch"),
            python=platform.python_version(),
            host=platform.node(),
        )
        if target == "cuda":
            result.gpu = self.gpus[0].name if self.gpus else ""
            result.driver, result.cuda = self.driver, self.cuda
        return result


def version(package: str) -> str:
    """Version of an installed package; empty if it is not installed."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def detect() -> Hardware:
    """Looks at the machine."""
    gpus, driver, notes = _gpus()
    return Hardware(gpus, driver, _nvcc_version(), _first_line("g++", "--version"), notes)


def _gpus() -> tuple[tuple[pb.Gpu, ...], str, tuple[str, ...]]:
    try:
        import pynvml
    except ImportError:
        return (), "", ("nvidia-ml-py is not installed",)
    try:
        pynvml.nvmlInit()
    except pynvml.NVMLError as error:
        return (), "", (f"no NVIDIA driver: {error}",)
    try:
        gpus = []
        for index in _visible(pynvml.nvmlDeviceGetCount()):
            handle = pynvml.nvmlDeviceGetHandleByIndex(index)
            major, minor = pynvml.nvmlDeviceGetCudaComputeCapability(handle)
            gpus.append(
                pb.Gpu(
                    index=index,
                    name=_text(pynvml.nvmlDeviceGetName(handle)),
                    architecture=f"sm_{major}{minor}",
                    memory_bytes=pynvml.nvmlDeviceGetMemoryInfo(handle).total,
                )
            )
        return tuple(gpus), _text(pynvml.nvmlSystemGetDriverVersion()), ()
    except pynvml.NVMLError as error:
        return (), "", (f"the NVIDIA driver does not answer: {error}",)
    finally:
        pynvml.nvmlShutdown()


def _visible(count: int) -> list[int]:
    """GPUs that CUDA_VISIBLE_DEVICES leaves us; all where it names none by number."""
    names = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
    chosen = [int(name) for name in names if name.strip().isdigit()]
    return [index for index in chosen if index < count] or list(range(count))


def _text(value: str | bytes) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _nvcc_version() -> str:
    output = _run("nvcc", "--version") or _run("/usr/local/cuda/bin/nvcc", "--version")
    found = re.search(r"release ([\d.]+)", output)
    return found.group(1) if found else ""


def _first_line(*command: str) -> str:
    return (_run(*command).splitlines() or [""])[0]


def _run(*command: str) -> str:
    if shutil.which(command[0]) is None:
        return ""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout if done.returncode == 0 else ""
