"""Command lines: nvcc and g++ for both targets, with the slim headers."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from verifier_gpu.build import toolchain
from verifier_gpu.build.policy import join_words
from verifier_gpu.build.request import BuildRequest
from verifier_gpu.build.sources import Unit
from verifier_gpu.build.standard import (
    HEAVY,
    LIGHT,
    heavy_headers,
    light_headers,
    special_functions,
)
from verifier_gpu.build.toolchain import Libraries
from verifier_gpu.emulator import toolchain as emulator
from verifier_gpu.emulator.toolchain import ToolchainError

MODULE_NAME = "leap_extension"
# What torch.utils.cpp_extension defines for every extension.
DEFINES = (
    f"-DTORCH_EXTENSION_NAME={MODULE_NAME}",
    "-DTORCH_API_INCLUDE_EXTENSION_H",
    "-D_GLIBCXX_USE_CXX11_ABI=1",
)
CUDA_DEFINES = (
    "-D__CUDA_NO_HALF_OPERATORS__",
    "-D__CUDA_NO_HALF_CONVERSIONS__",
    "-D__CUDA_NO_BFLOAT16_CONVERSIONS__",
    "-D__CUDA_NO_HALF2_OPERATORS__",
)
# The slim headers define names of torch's own namespaces: none may be replaced
# by torch's definition when the module is loaded beside libtorch.
_HIDDEN = "-fvisibility=hidden"
_STRINGS = "-DLEAP_WITH_STRINGS"
# std::expint and its kin are most of what <cmath> costs, and no kernel can call them.
_NO_SPECIAL_FUNCTIONS = "-D_GLIBCXX_BITS_SPECFUN_H=1"
_PRELUDE = ("torch/extension.h", "cuda_runtime.h")
_LINK_CUBLAS = "-lcublas"
# Functions of the CUDA runtime that native/launches.cpp counts.
_LAUNCHES = (
    "__cudaLaunchKernel", "cudaLaunchKernel", "cudaLaunchCooperativeKernel",
    "cudaLaunchKernelExC", "cudaGraphLaunch",
)  # fmt: skip
# Flags that the cpu target heeds; the others tune code that it does not make.
_STANDARD_FLAG = re.compile(r"-std=(c|gnu)\+\+(20|2a)")
_MACRO_FLAG = re.compile(r"-[DU].*|-w")


@dataclass(frozen=True)
class Step:
    """One command; ``output`` is the file that it writes."""

    command: list[str]
    output: str


def compile_steps(request: BuildRequest, units: list[Unit], prelude: Path | None) -> list[Step]:
    """One step a unit; they are independent of each other.

    ``prelude`` is the header that units of the cpu target include.
    """
    if prelude is not None:
        flags = _emulated_flags(request, units)
        return [_emulated(request, unit, prelude, flags) for unit in units]
    return [_nvcc(request, u) if u.language == "cuda" else _host(request, u) for u in units]


def link_step(request: BuildRequest, objects: list[str], libraries: Libraries) -> Step:
    """The step that makes the module of its objects; undefined symbols are errors."""
    command = [toolchain.cxx(), "-shared", "-o", "module.so", *objects]
    command += ["-Wl,-z,defs", str(libraries.torch_runtime)]
    if libraries.emulator is not None:
        command += ["-fuse-ld=gold"] if toolchain.has_gold() else []
        command += emulator.link_flags(libraries.emulator)
    else:
        command += [f"-L{directory}" for directory in toolchain.cuda_libraries()]
        command += cuda_link_words(request, libraries)
    return Step(command, "module.so")


def uses_cublas(request: BuildRequest) -> bool:
    """Whether the module needs cuBLAS, by its texts or its linker flags."""
    texts = any(re.search(r"\bcublas", source.text) for source in request.sources)
    return texts or _LINK_CUBLAS in join_words(request.extra_ldflags)


def cuda_link_words(request: BuildRequest, libraries: Libraries) -> list[str]:
    """The CUDA libraries that the module needs; torch's own builds link cuBLAS unasked, too."""
    others = [word for word in join_words(request.extra_ldflags) if word != _LINK_CUBLAS]
    counted = [f"-Wl,--wrap={name}" for name in _LAUNCHES]
    cublas = _cublas(request).link if uses_cublas(request) else ()
    return [*counted, str(libraries.launches), "-lcudart", *cublas, *others]


def cublas_includes(request: BuildRequest) -> list[str]:
    """Where nvcc and g++ find cublas_v2.h, if the module uses it and they would not."""
    found = _cublas(request).includes if uses_cublas(request) else ()
    return [word for path in found for word in ("-isystem", str(path))]


def _cublas(request: BuildRequest) -> toolchain.Cublas:
    found = toolchain.cublas()
    if found is None:
        raise ToolchainError("there is no cuBLAS on this machine; install the CUDA toolkit's")
    return found


def precompiled_header(request: BuildRequest, units: list[Unit], directory: Path) -> Step:
    """The step that precompiles the headers of the cpu target in ``directory``."""
    names = [*_PRELUDE, "leap/cuda.h", *LIGHT, *(HEAVY if _uses_strings(units) else ())]
    (directory / "prelude.h").write_text("".join(f"#include <{name}>\n" for name in names))
    command = [*_emulated_flags(request, units), "-x", "c++-header", "-c", "prelude.h"]
    return Step([*command, "-o", "prelude.h.gch"], "prelude.h.gch")


def precompiled_key(request: BuildRequest, units: list[Unit]) -> str:
    """Names the precompiled header that fits the request's flags and texts."""
    flags = _emulated_flags(request, units)
    text = "\0".join((*flags, toolchain.version(toolchain.cxx()), toolchain.headers_digest()))
    return hashlib.sha256(text.encode()).hexdigest()[:24]


def _uses_strings(units: list[Unit]) -> bool:
    return any(heavy_headers(unit.text) for unit in units)


def _emulated_flags(request: BuildRequest, units: list[Unit]) -> list[str]:
    """What the precompiled header is made with. Macros that a submission adds are not in
    the headers, so that one precompiled header serves them all."""
    includes = [toolchain.HEADERS, *emulator.include_dirs()]
    chosen = _chosen(request, _STANDARD_FLAG)
    return [
        toolchain.cxx(),
        *emulator.compile_flags(checked=True),
        _HIDDEN,
        "-ftrack-macro-expansion=0",  # errors inside a macro are where the submission uses it
        *DEFINES,
        *CUDA_DEFINES,
        *([_STRINGS] if _uses_strings(units) else []),
        *([] if any(special_functions(u.text) for u in units) else [_NO_SPECIAL_FUNCTIONS]),
        *chosen,
        *(f"-I{path}" for path in includes),
    ]


def _chosen(request: BuildRequest, pattern: re.Pattern[str]) -> list[str]:
    flags = [*join_words(request.extra_cflags), *join_words(request.extra_cuda_cflags)]
    return [flag for flag in dict.fromkeys(flags) if pattern.fullmatch(flag)]


def _emulated(request: BuildRequest, unit: Unit, prelude: Path, flags: list[str]) -> Step:
    compiler, *others = flags
    command = [compiler, "-include", str(prelude), *others, *_chosen(request, _MACRO_FLAG)]
    command += _include(_half_headers(unit.text))
    command += ["-fmax-errors=50"]
    output = f"{unit.file_name}.o"
    return Step([*command, "-c", unit.file_name, "-o", output], output)


def _nvcc(request: BuildRequest, unit: Unit) -> Step:
    command = [
        toolchain.nvcc(), "-x", "cu", "-c", f"-arch={request.architecture}", "-std=c++17",
        "--expt-relaxed-constexpr", f"-Xcompiler=-fPIC,{_HIDDEN}", "-Xptxas=-v",
        *DEFINES, *CUDA_DEFINES, f"-I{toolchain.HEADERS}",
        *cublas_includes(request),
        *_include((*_PRELUDE, *_half_headers(unit.text))), *_standard(unit.text),
        *join_words(request.extra_cuda_cflags),
    ]  # fmt: skip
    output = f"{unit.file_name}.o"
    return Step([*command, unit.file_name, "-o", output], output)


def _host(request: BuildRequest, unit: Unit) -> Step:
    command = [
        toolchain.cxx(), "-x", "c++", "-c", "-std=c++17", "-O1", "-fPIC", _HIDDEN,
        "-fmax-errors=50", *DEFINES, f"-I{toolchain.HEADERS}",
        *(f"-I{directory}" for directory in toolchain.cuda_includes()), *cublas_includes(request),
        "-include", "torch/extension.h", *_standard(unit.text),
        *join_words(request.extra_cflags),
    ]  # fmt: skip
    output = f"{unit.file_name}.o"
    return Step([*command, unit.file_name, "-o", output], output)


def _standard(text: str) -> list[str]:
    heavy = heavy_headers(text)
    return [*([_STRINGS] if heavy else []), *_include([*light_headers(text), *heavy])]


def _half_headers(text: str) -> list[str]:
    """CUDA's small floats; torch's headers include them, and they are not free."""
    headers = {"cuda_fp16.h": r"(?i)half", "cuda_bf16.h": r"(?i)bfloat16|bf16"}
    return [name for name, pattern in headers.items() if re.search(pattern, text)]


def _include(names: tuple[str, ...] | list[str]) -> list[str]:
    return [word for name in names for word in ("-include", name)]
