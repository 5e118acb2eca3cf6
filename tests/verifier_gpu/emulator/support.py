"""Compiling the kernels of the tests, and numpy arrays in emulated device memory."""

from __future__ import annotations

import ctypes
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from verifier_gpu.emulator import runtime, toolchain
from verifier_gpu.emulator.rewrite import rewrite

KERNELS = Path(__file__).parent / "kernels"


def build(
    text: str, name: str, directory: Path, library: Path, *flags: str, checked: bool = True
) -> ctypes.CDLL:
    """Rewrites, compiles and loads one source; host functions are called with ctypes."""
    source, shared = directory / f"{name}.cpp", directory / f"{name}.so"
    source.write_text(rewrite(text, f"{name}.cu", extended_lambda=True))
    includes = [f"-I{d}" for d in toolchain.include_dirs()]
    command = ["g++", *toolchain.compile_flags(checked), *includes, *flags, str(source)]
    command += ["-x", "none", "-shared", "-o", str(shared), *toolchain.link_flags(library)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:4000]
    return ctypes.CDLL(str(shared))


class Device:
    """Arrays in device memory; freed at the end of a ``with`` block."""

    def __init__(self) -> None:
        self._addresses: list[int] = []

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *_: object) -> None:
        for address in self._addresses:
            runtime.free(address)

    def put(self, values: np.ndarray) -> np.ndarray:
        array = self.empty(values.shape, values.dtype)
        array[...] = values
        return array

    def empty(self, shape: int | Sequence[int], dtype: object = np.float32) -> np.ndarray:
        count = int(np.prod(shape))
        nbytes = count * np.dtype(dtype).itemsize
        address = runtime.allocate(nbytes)
        self._addresses.append(address)
        buffer = (ctypes.c_byte * nbytes).from_address(address)
        return np.frombuffer(buffer, dtype=dtype, count=count).reshape(shape)


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def call(function: object, *arguments: object, order: runtime.Order = "forward", seed: int = 1):
    """Calls a host function as one judged call; returns (result, report)."""
    converted = [pointer(a) if isinstance(a, np.ndarray) else a for a in arguments]
    runtime.begin_call(order, seed)
    result = function(*converted)
    return result, runtime.end_call()
