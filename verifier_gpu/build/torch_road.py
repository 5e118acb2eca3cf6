"""The other road: an ordinary PyTorch extension, with torch's and pybind11's own headers.

Slow (the headers take most of a minute), but complete: it is the fallback on the
cuda target, and the oracle for the slim headers in tests.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from verifier_gpu.build import compilers, toolchain
from verifier_gpu.build.compilers import Step
from verifier_gpu.build.policy import join_words
from verifier_gpu.build.request import BuildRequest
from verifier_gpu.build.sources import Unit
from verifier_gpu.build.toolchain import Libraries
from verifier_gpu.emulator.toolchain import ToolchainError

_LIBRARIES = ("c10", "torch_cpu", "torch", "torch_python", "c10_cuda", "torch_cuda")
# Asked of torch in a process of its own: this one never imports it.
_ASK = """
import json, sysconfig
from torch.utils import cpp_extension
print(json.dumps({
    "includes": [*cpp_extension.include_paths(), sysconfig.get_paths()["include"]],
    "libraries": cpp_extension.library_paths(),
}))
"""


def torch_version() -> str:
    """The version of torch on this machine.

    Raises:
        ToolchainError: there is none.
    """
    try:
        return importlib.metadata.version("torch")
    except importlib.metadata.PackageNotFoundError:
        raise ToolchainError("torch is not installed on this machine") from None


def torch_headers() -> Path | None:
    """The directory of torch's headers, found without importing it."""
    spec = importlib.util.find_spec("torch")
    if spec is None or spec.origin is None:
        return None
    headers = Path(spec.origin).parent / "include"
    return headers if headers.is_dir() else None


def compile_steps(request: BuildRequest, units: list[Unit]) -> list[Step]:
    """One step a unit; they are independent of each other."""
    return [_nvcc(request, u) if u.language == "cuda" else _host(request, u) for u in units]


def link_step(request: BuildRequest, objects: list[str], libraries: Libraries) -> Step:
    """The step that makes the extension module of its objects."""
    directories = [Path(path) for path in _paths()["libraries"]]
    # A torch without CUDA has not all of them; its extensions do not need them.
    present = [n for n in _LIBRARIES if any((d / f"lib{n}.so").exists() for d in directories)]
    command = [toolchain.cxx(), "-shared", "-o", "module.so", *objects]
    command += [f"-L{path}" for path in directories]
    command += [f"-L{path}" for path in toolchain.cuda_libraries()]
    command += [f"-l{name}" for name in present]
    return Step([*command, *compilers.cuda_link_words(request, libraries)], "module.so")


def _nvcc(request: BuildRequest, unit: Unit) -> Step:
    command = [
        toolchain.nvcc(), "-x", "cu", "-c", f"-arch={request.architecture}", "-std=c++17",
        "--expt-relaxed-constexpr", "-Xcompiler=-fPIC", "-Xptxas=-v",
        *compilers.DEFINES, *compilers.CUDA_DEFINES, *_includes(),
        "-include", "torch/types.h", "-include", "cuda_runtime.h",
        *join_words(request.extra_cuda_cflags),
    ]  # fmt: skip
    output = f"{unit.file_name}.o"
    return Step([*command, unit.file_name, "-o", output], output)


def _host(request: BuildRequest, unit: Unit) -> Step:
    cuda = toolchain.cuda_includes()
    command = [
        toolchain.cxx(), "-x", "c++", "-c", "-std=c++17", "-fPIC", "-fmax-errors=50",
        *compilers.DEFINES, *_includes(), *(f"-isystem{path}" for path in cuda),
        "-include", "torch/extension.h", *join_words(request.extra_cflags),
    ]  # fmt: skip
    output = f"{unit.file_name}.o"
    return Step([*command, unit.file_name, "-o", output], output)


def _includes() -> list[str]:
    cublas = toolchain.cublas()  # torch's own headers include cuBLAS's
    paths = [*_paths()["includes"], *map(str, cublas.includes if cublas else ())]
    return [word for path in paths for word in ("-isystem", path)]


@lru_cache
def _paths() -> dict[str, list[str]]:
    torch_version()
    command = [sys.executable, "-c", _ASK]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-1:] or ["no message"]
        raise ToolchainError(f"torch does not say where its headers are: {last[0]}")
    paths: dict[str, list[str]] = json.loads(done.stdout)
    return paths
