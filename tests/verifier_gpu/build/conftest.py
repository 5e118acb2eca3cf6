"""One cache for all tests of this folder: precompiled headers are made once."""

from __future__ import annotations

import asyncio
import ctypes
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch

from verifier_gpu.build.builder import Builder
from verifier_gpu.build.loading import load
from verifier_gpu.build.request import BuildRequest, BuildResult, SourceFile
from verifier_gpu.emulator import runtime

Compile = Callable[..., BuildResult]
Load = Callable[..., ModuleType]


@pytest.fixture(scope="session")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if base.name.startswith("popen-") else base  # one for all workers
    return shared / "leap-build-cache"


@pytest.fixture(scope="session")
def builder(cache_dir: Path) -> Builder:
    return Builder(cache_dir)


@pytest.fixture(scope="session")
def compile_text(builder: Builder) -> Compile:
    """compile_text(cuda_text, cpp=..., target=..., ...) -> BuildResult"""

    def compile_(text: str | None = None, cpp: str | None = None, **options: Any) -> BuildResult:
        sources = []
        if cpp is not None:
            sources.append(SourceFile("main.cpp", cpp, "cpp"))
        if text is not None:
            sources.append(SourceFile("submission.cu", text, "cuda"))
        target = options.pop("target", "cpu")
        timeout = options.pop("timeout_seconds", 120.0)
        request = BuildRequest(target, tuple(sources), **{"builder": "slim", **options})
        return asyncio.run(builder.build(request, timeout))

    return compile_


@pytest.fixture(scope="session")
def module(compile_text: Compile) -> Load:
    """module(cuda_text, ...) -> the loaded extension; the build must succeed."""

    def load_(text: str | None = None, **options: Any) -> ModuleType:
        result = compile_text(text, **options)
        assert result.code is None, (result.message, result.diagnostics)
        assert result.artifact is not None
        return load(result.artifact)

    return load_


def on_device(tensor: torch.Tensor) -> torch.Tensor:
    """A copy in the emulated device's memory (kept until the process ends)."""
    nbytes = tensor.numel() * tensor.element_size()
    if nbytes == 0:
        return tensor.clone()
    memory = (ctypes.c_char * nbytes).from_address(runtime.allocate(nbytes))
    placed = torch.frombuffer(memory, dtype=tensor.dtype).reshape(tensor.shape)
    return placed.copy_(tensor)


@pytest.fixture
def call() -> Iterator[Callable[..., Any]]:
    """call(function, *arguments) runs it as one judged call without a fault."""

    def call_(function: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        runtime.begin_call("shuffle", 7)
        try:
            return function(*arguments, **named)
        finally:
            report = runtime.end_call()
            assert report.fault is None, report.fault
            assert report.launch_error == ""

    yield call_
