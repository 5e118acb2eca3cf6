"""Where a submission's tensors live and its kernels run: the emulated device or a real GPU."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Protocol

import torch


@dataclass(frozen=True)
class Report:
    """What one call did. `kernels_launched` is -1 where it is not known."""

    kernels_launched: int = -1
    printed: str = ""


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
    """A real GPU: the first visible one."""

    name = "cuda"

    def load(self, artifact: Path) -> Any:
        from verifier_gpu.build import loading

        return loading.load(artifact)

    def place(self, tensor: torch.Tensor) -> torch.Tensor:
        return tensor.to("cuda", copy=True)

    @contextlib.contextmanager
    def view(self) -> Iterator[None]:
        yield

    def begin_call(self, order: str, seed: int) -> None:
        torch.manual_seed(seed)

    def synchronize(self) -> None:
        torch.cuda.synchronize()
        # An operation of torch's own picks up what an unchecked bad launch left behind.
        torch.zeros(1, device="cuda")
        torch.cuda.synchronize()

    def end_call(self) -> Report:
        return Report()

    def classify(self, error: BaseException) -> Failure | None:
        if isinstance(error, torch.cuda.OutOfMemoryError):
            return Failure("OUT_OF_MEMORY", _first_line(error))
        text = str(error)
        for phrase, code in _CUDA_ERRORS.items():
            if phrase in text:
                return Failure(code, _first_line(error))
        return None


#: Phrases of CUDA's error texts, the most specific first.
_CUDA_ERRORS = {
    "illegal memory access": "ILLEGAL_MEMORY_ACCESS",
    "misaligned address": "ILLEGAL_MEMORY_ACCESS",
    "invalid configuration argument": "BAD_LAUNCH",
    "too many resources requested": "BAD_LAUNCH",
    "invalid device function": "BAD_LAUNCH",
    "no kernel image is available": "BAD_LAUNCH",
    "uncorrectable ECC": "GPU_UNHEALTHY",
    "unspecified launch failure": "ILLEGAL_MEMORY_ACCESS",
    "out of memory": "OUT_OF_MEMORY",
}


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0][:1000]
