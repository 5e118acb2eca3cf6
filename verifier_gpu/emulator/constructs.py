"""What the cpu target cannot emulate, and how it is recognised."""

from __future__ import annotations

import re

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
    (r"cuda_pipeline", "pipeline intrinsics"),
    (r"curand", "cuRAND"),
    (r"cublas(?!_v2\.h)|cusparse|cusolver|cufft|cudnn|nccl", "a CUDA library"),
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
    "bmma_sync": "tensor-core products of less than 8 bits",
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

# Families of the runtime API that include/leap_api.h has nothing of.
_RUNTIME = re.compile(
    r"cuda(Graph|Graphics|Ipc|Library|Logs|MemPool|UserObject|External|Import|Signal|Array|Mipmapped"
    r"|Malloc3D|MallocArray|MallocMipmapped|MallocFromPool|FreeArray|FreeMipmapped|Memcpy3D|Memset3D"
    r"|Memcpy(2D)?(To|From)Array|MemcpyPeer|MemcpyBatch|MemAdvise|MemPrefetch|MemRange|HostRegister"
    r"|HostUnregister|LaunchHostFunc|Stream(AddCallback|BeginCapture|EndCapture|IsCapturing"
    r"|(Get|Set)Attribute)|Device(CanAccess|Enable|Disable)Peer|PointerGetAttributes)\w*"
)

KERNEL_HEAP = "memory allocation inside a kernel"

# The routines, types and settings of cuBLAS that include/cublas_v2.h has.
_CUBLAS = re.compile(
    r"cublas([SD](gemv|geam|axpy|scal|copy|swap|dot|nrm2|asum)|I[sd]am(ax|in)"
    r"|[SDH]gemm(Strided)?(Batched)?|Gemm(Strided)?(Batched)?Ex|Create|Destroy"
    r"|(Set|Get)(Stream|PointerMode|MathMode|AtomicsMode)|SetWorkspace|GetStatus(Name|String)"
    r"|Context|(Handle|Status|Operation|PointerMode|AtomicsMode|Math|ComputeType|GemmAlgo)_t)"
    r"|CUBLAS_(VER\w*|STATUS_\w+|OP_[NTC]|POINTER_MODE_\w+|ATOMICS_\w+|(\w+_)?MATH"
    r"|MATH_DISALLOW_\w+|COMPUTE_(16F|32F|64F|32I)(_PEDANTIC)?|COMPUTE_32F_FAST_(16F|16BF|TF32)"
    r"|GEMM_(DEFAULT|DFALT)(_TENSOR_OP)?|GEMM_ALGO[0-3]|GEMM_ALGO0_TENSOR_OP)"
)


def construct_names() -> list[str]:
    """What is refused by its name, for people."""
    names = {name for _, name in _HEADERS} | {name for name in _NAMES.values() if name}
    return sorted(names | {KERNEL_HEAP}, key=str.lower)


def refuse_unsupported(tokens: Tokens) -> None:
    """Raises Unsupported for the first construct of the tables above."""
    items = tokens.items
    if "cublas" in tokens.text:
        _refuse_lacking_blas(tokens)
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
        elif token.kind == "name" and _RUNTIME.fullmatch(token.text):
            raise Unsupported(f"{token.text} of the CUDA runtime", tokens.line(i))


def _refuse_lacking_blas(tokens: Tokens) -> None:
    """Refuses what is of cuBLAS by its name, unless we have it or the text declares it."""
    declared = {
        token.text
        for before, token in zip(tokens.items, tokens.items[1:], strict=False)
        if token.kind == "name"
        and (before.text in ("*", "&", ">") or before.kind == "name")
        and before.text not in ("return", "else")
    }
    for i, token in enumerate(tokens.items):
        if (
            token.kind == "name"
            and token.text.startswith(("cublas", "CUBLAS_"))
            and token.text not in declared
            and not _CUBLAS.fullmatch(token.text)
            and not tokens.is_text(i - 2, "include")
        ):
            raise Unsupported(f"{token.text} of cuBLAS", tokens.line(i))


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
