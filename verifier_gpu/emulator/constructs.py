"""What the cpu target cannot emulate, and how it is recognised."""

from __future__ import annotations

import re

from verifier_gpu.emulator.functions import Function
from verifier_gpu.emulator.tokens import Tokens


class Unsupported(Exception):
    """The text uses something that the emulator cannot run.

    ``construct`` names it for a person; ``line`` is 1-based.
    """

    def __init__(self, construct: str, line: int) -> None:
        super().__init__(f"line {line}: {construct} is not supported on the cpu target")
        self.construct = construct
        self.line = line


_HEADERS = (
    (r"cub/|cub\.cuh", "CUB"),
    (r"thrust/", "Thrust"),
    (r"cutlass/|cute/", "CUTLASS"),
    (r"cuda/|nv/target", "libcu++"),
    (r"mma\.h|cuda_pipeline", "tensor-core or pipeline intrinsics"),
    (r"curand", "cuRAND"),
    (r"cublas|cusparse|cusolver|cufft|cudnn|nccl", "a CUDA library"),
    (r"nvrtc|cudaTypedefs|nvtx|nvToolsExt", "the CUDA toolkit's tools"),
    (r"cuda_fp8|cuda_fp4|cuda_fp6", "8-bit and smaller floats"),
)

_NAMES = {
    "asm": "inline PTX (asm)",
    "__asm__": "inline PTX (asm)",
    "__asm": "inline PTX (asm)",
    "__managed__": "managed memory",
    "cudaMallocManaged": "managed memory",
    "texture": None,  # only as texture<...>
    "tex1D": "texture memory",
    "tex1Dfetch": "texture memory",
    "tex2D": "texture memory",
    "tex3D": "texture memory",
    "cudaTextureObject_t": "texture memory",
    "cudaSurfaceObject_t": "surface memory",
    "wmma": "tensor-core intrinsics (wmma)",
    "nvcuda": "tensor-core intrinsics (wmma)",
    "__pipeline_memcpy_async": "asynchronous copies",
    "this_grid": "grid-wide synchronisation",
    "this_cluster": "thread block clusters",
    "__cluster_dims__": "thread block clusters",
    "cudaLaunchCooperativeKernel": "cooperative launches",
    "cudaLaunchKernelEx": "cudaLaunchKernelEx",
    "cudaGraph_t": "CUDA graphs",
    "cudaGraphLaunch": "CUDA graphs",
    "cudaStreamBeginCapture": "CUDA graphs",
    "cudaDeviceGetDefaultMemPool": "memory pools",
    "cudaIpcGetMemHandle": "inter-process memory",
    "cuModuleLoad": "the CUDA driver API",
    "cuLaunchKernel": "the CUDA driver API",
    "__nanosleep": "spinning threads (__nanosleep)",
    "__cvta_generic_to_shared": "address spaces",
    "__cvta_generic_to_global": "address spaces",
    "__isShared": "address spaces",
    "__isGlobal": "address spaces",
    "__isLocal": "address spaces",
    "__isConstant": "address spaces",
    "globaltimer": "the global timer",
}


def refuse_unsupported(tokens: Tokens) -> None:
    """Raises Unsupported for the first construct of the table above."""
    items = tokens.items
    for i, token in enumerate(items):
        if token.text == "include" and tokens.is_text(i - 1, "#"):
            _refuse_header(tokens, i)
        elif token.kind == "name" and token.text in _NAMES:
            construct = _NAMES[token.text]
            if token.text == "texture":
                construct = "texture memory" if tokens.is_text(i + 1, "<") else None
            elif tokens.is_text(i - 1, ".") or tokens.is_text(i - 1, "->"):
                construct = None  # a member that happens to have the name
            elif token.text in ("asm", "__asm__", "__asm") and _is_barrier(tokens, i):
                construct = None
            if construct:
                raise Unsupported(construct, tokens.line(i))


def refuse_warp_synchronous(tokens: Tokens, functions: list[Function]) -> None:
    """Refuses code that needs the lanes of a warp to run in step without saying so.

    Its mark in public kernels is a ``volatile`` pointer to shared memory in a
    function that never calls ``__syncwarp``. The emulator runs lanes one after the
    other, so it would judge such a kernel wrongly.

    Raises:
        Unsupported: for the first such pointer.
    """
    for function in functions:
        if function.body is None or function.spaces == {"host"}:
            continue
        first, last = function.parameters[0], function.body[1]
        texts = [t.text for t in tokens.items[first : last + 1]]
        if "__syncwarp" in texts:
            continue
        for i in range(first, last):
            if tokens.items[i].text == "volatile" and _declares_pointer(tokens, i, last):
                raise Unsupported(
                    "warp-synchronous code (a volatile pointer without __syncwarp)", tokens.line(i)
                )


def _declares_pointer(tokens: Tokens, index: int, last: int) -> bool:
    for i in range(index + 1, min(index + 4, last)):
        if tokens.items[i].text == "*":
            return not tokens.is_text(i + 1, ")")  # a cast is one access, not a pattern
        if tokens.items[i].kind != "name":
            return False
    return False


def _refuse_header(tokens: Tokens, index: int) -> None:
    rest = tokens.text[tokens.items[index].end :].split("\n", 1)[0]
    found = re.match(r"\s*[<\"]([^>\"]+)", rest)
    if not found:
        return
    for pattern, construct in _HEADERS:
        if re.match(pattern, found.group(1)):
            raise Unsupported(f"{construct} (#include <{found.group(1)}>)", tokens.line(index))


def _is_barrier(tokens: Tokens, index: int) -> bool:
    """Whether the asm is an empty compiler barrier: ``asm volatile("" ::: "memory")``."""
    while tokens.is_text(index + 1, "volatile") or tokens.is_text(index + 1, "__volatile__"):
        index += 1
    return tokens.is_text(index + 1, "(") and tokens.is_text(index + 2, '""')
