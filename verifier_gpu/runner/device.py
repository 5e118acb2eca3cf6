"""Where a submission's tensors live and its kernels run: the emulated device or a real GPU."""

from __future__ import annotations

import contextlib
import ctypes
import os
import weakref
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import torch

from verifier_gpu.emulator import runtime
from verifier_gpu.runner.cuda_view import CudaView, install_cuda_module
from verifier_gpu.runner.tensors import same


@dataclass(frozen=True)
class Report:
    """What one call did.

    kernels_launched: -1 where it is not known.
    launch_error: about the first launch that CUDA's limits refused, or "".
    unwritten: the first read of memory that nobody had written, a Failure's fields.
    library_calls: routines of CUDA's libraries that ran, as far as known, or "".
    """

    kernels_launched: int = -1
    printed: str = ""
    launch_error: str = ""
    unwritten: dict[str, Any] | None = None
    library_calls: str = ""


@dataclass
class Failure(Exception):
    """The submission failed; fields become the verdict's."""

    code: str
    message: str
    diagnostics: list[dict[str, Any]] = field(default_factory=list)
    fault: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class Device(Protocol):
    """One target's device, as `runner.candidate` uses it."""

    name: str

    def load(self, artifact: Path) -> Any:
        """The bound functions of a built module."""

    def place(self, tensor: torch.Tensor) -> torch.Tensor:
        """A fresh copy of a host tensor on the device."""

    def view(self) -> contextlib.AbstractContextManager[None]:
        """Within it, torch's Python functions see a CUDA device."""

    def begin_call(self, order: str, seed: int) -> None: ...

    def synchronize(self) -> None:
        """Waits for all kernels. Raises Failure for a fault of a kernel."""

    def end_call(self) -> Report:
        """Raises Failure for a fault of the call."""

    def classify(self, error: BaseException) -> Failure | None:
        """The failure behind an exception of the submission, where the device knows better."""


class CudaDevice:
    """A real GPU, the only one that this process sees.

    Args:
        gpu: its index on this machine.
    """

    name = "cuda"

    def __init__(self, gpu: int) -> None:
        see_only(gpu)
        # The context, and what every call of a submission loads: copies, fills, comparisons.
        probe = self.place(torch.zeros(4))
        same(probe, torch.clone(probe))
        self.synchronize()
        self._launches: Callable[[], int] = lambda: 0
        self._launched = 0  # before the call
        self._uses_libraries = False
        self._replays = _ReplayCounter()

    def load(self, artifact: Path) -> Any:
        from verifier_gpu.build import loading

        module = loading.load(artifact)
        self._launches = loading.launch_counter(artifact)
        self._uses_libraries |= loading.uses_libraries(artifact)
        return module

    def place(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.to("cuda", copy=True)

    @contextlib.contextmanager
    def view(self) -> Iterator[None]:
        yield

    def begin_call(self, order: str, seed: int) -> None:
        torch.manual_seed(seed)
        self._launched = self._launches() + self._replays.count

    def synchronize(self) -> None:
        torch.cuda.synchronize()
        # An operation of torch's own picks up what an unchecked bad launch left behind.
        torch.zeros(1, device="cuda")
        torch.cuda.synchronize()

    def end_call(self) -> Report:
        launched = self._launches() + self._replays.count - self._launched
        return Report(kernels_launched=-1 if not launched and self._uses_libraries else launched)

    def classify(self, error: BaseException) -> Failure | None:
        if isinstance(error, torch.cuda.OutOfMemoryError):
            return Failure("OUT_OF_MEMORY", _first_line(error))
        text = str(error)
        for phrase, code in _CUDA_ERRORS.items():
            if phrase in text:
                return Failure(code, _first_line(error))
        return None


class _ReplayCounter:
    """Counts replays of torch's CUDA graphs, which launch what was captured earlier."""

    def __init__(self) -> None:
        self.count = 0
        replay = torch.cuda.CUDAGraph.replay

        def counted(graph: torch.cuda.CUDAGraph) -> None:
            self.count += 1
            replay(graph)

        torch.cuda.CUDAGraph.replay = counted  # type: ignore[assignment,method-assign]


#: Phrases of CUDA's error texts, the most specific first.
_CUDA_ERRORS = {
    "illegal memory access": "ILLEGAL_MEMORY_ACCESS",
    "misaligned address": "ILLEGAL_MEMORY_ACCESS",
    "invalid configuration argument": "BAD_LAUNCH",
    "invalid argument": "BAD_LAUNCH",  # what sm_90 says of a block of 4,096 threads
    "too many resources requested": "BAD_LAUNCH",
    "invalid device function": "BAD_LAUNCH",
    "no kernel image is available": "BAD_LAUNCH",
    "uncorrectable ECC": "GPU_UNHEALTHY",
    "unspecified launch failure": "ILLEGAL_MEMORY_ACCESS",
    "out of memory": "OUT_OF_MEMORY",
}


def see_only(gpu: int) -> None:
    """Makes one GPU the only visible one. To be called before the first CUDA call."""
    os.environ["CUDA_DEVICE_ORDER"] = "PCI_BUS_ID"  # as NVML counts
    os.environ["CUDA_VISIBLE_DEVICES"] = str(gpu)


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:1000]


class CpuDevice:
    """The emulated device: guarded, poisoned memory, and kernels that run in a chosen order.

    Args:
        emulator: its library, built by the server.
    """

    name = "cuda"  # what a submission is told

    def __init__(self, emulator: Path) -> None:
        runtime.load(emulator)
        install_cuda_module()
        self._view = CudaView(self.place, _on_device)
        self._in_call = False

    def load(self, artifact: Path) -> Any:
        from verifier_gpu.build import loading

        return loading.load(artifact)

    def place(self, tensor: torch.Tensor) -> torch.Tensor:
        if tensor.numel() == 0:
            return tensor.clone()
        nbytes = tensor.numel() * tensor.element_size()
        address = runtime.allocate(nbytes)
        buffer = (ctypes.c_char * nbytes).from_address(address)
        weakref.finalize(buffer, runtime.free, address).atexit = False
        placed = torch.frombuffer(buffer, dtype=tensor.dtype).reshape(tensor.shape)
        return placed.copy_(tensor.detach())

    @contextlib.contextmanager
    def view(self) -> Iterator[None]:
        with self._view:
            yield

    def begin_call(self, order: str, seed: int) -> None:
        self._in_call = True
        runtime.begin_call(order, seed)  # type: ignore[arg-type]

    def synchronize(self) -> None:
        # A launch returns when its kernel has ended; what nobody took an operation of
        # torch's own would throw on a GPU.
        text, of_launch = runtime.untaken_error()
        if text and of_launch:
            raise Failure("BAD_LAUNCH", text)
        if text:
            raise Failure("RUNTIME_ERROR", f"an error of CUDA that nobody took: {text}")

    def end_call(self) -> Report:
        self._in_call = False
        report = runtime.end_call()
        if report.fault is not None:
            raise _kernel_failure(report.fault)
        unwritten = _kernel_failure(report.unwritten).to_json() if report.unwritten else None
        return Report(
            kernels_launched=report.kernels_launched,
            printed=report.printed,
            launch_error=report.launch_error,
            unwritten=unwritten,
            library_calls=report.library_calls,
        )

    def classify(self, error: BaseException) -> Failure | None:
        if self._in_call:
            try:
                report = self.end_call()
            except Failure as failure:
                return failure
            if report.launch_error:
                return Failure("BAD_LAUNCH", report.launch_error)
        if type(error).__name__ == "Unsupported":
            return Failure("UNSUPPORTED", _first_line(error))
        return None


def _on_device(tensor: torch.Tensor) -> bool:
    if tensor.layout != torch.strided:
        return False
    return tensor.numel() > 0 and runtime.is_device_pointer(tensor.untyped_storage().data_ptr())


_FAULT_CODES = {
    "ILLEGAL_MEMORY_ACCESS": "ILLEGAL_MEMORY_ACCESS",
    "MISALIGNED_ACCESS": "ILLEGAL_MEMORY_ACCESS",
    "DIVERGENT_BARRIER": "DIVERGENT_BARRIER",
    "DATA_RACE": "DATA_RACE",
    "BAD_LAUNCH": "BAD_LAUNCH",
    "UNSUPPORTED": "UNSUPPORTED",
    "COMPILE_ERROR": "COMPILE_ERROR",
}


def _kernel_failure(fault: runtime.Fault) -> Failure:
    """The failure that a fault of a kernel is; field names are the proto's."""
    code = _FAULT_CODES.get(fault.code, "RUNTIME_ERROR")
    place: dict[str, Any] = {"file": fault.file, "line": fault.line, "space": fault.space}
    if fault.kernel:  # without one, host code did it
        place |= {
            "kernel": fault.kernel,
            "block": dict(zip("xyz", fault.block, strict=True)),
            "thread": dict(zip("xyz", fault.thread, strict=True)),
        }
    return Failure(code, fault.message, fault=place)
