from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.verifier_gpu.emulator.support import KERNELS, Device, build
from verifier_gpu.emulator import runtime, toolchain


@pytest.fixture(scope="session")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = toolchain.runtime_library(tmp_path_factory.mktemp("emulator"))
    runtime.load(path)
    return path


@pytest.fixture(scope="session")
def compiled(library: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., ctypes.CDLL]:
    """Compiles ``kernels/NAME.cu`` once per session (and per set of flags)."""
    known: dict[tuple[str, ...], ctypes.CDLL] = {}

    def get(name: str, *flags: str) -> ctypes.CDLL:
        if (name, *flags) not in known:
            text = (KERNELS / f"{name}.cu").read_text()
            directory = tmp_path_factory.mktemp(name)
            known[name, *flags] = build(text, name, directory, library, *flags)
        return known[name, *flags]

    return get


@pytest.fixture
def device() -> Iterator[Device]:
    with Device() as d:
        yield d
