"""Builds that fail, in every way they can, and the cache."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path

import pytest
import torch

from tests.verifier_gpu.build.conftest import Compile, Load, on_device
from verifier_gpu.build.builder import Builder
from verifier_gpu.build.process import Limits
from verifier_gpu.build.request import BuildRequest, SourceFile

KERNEL = """#include <torch/extension.h>

__global__ void twice(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  twice<<<(x.numel() + 31) / 32, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
"""


def test_compile_error_has_the_line(compile_text: Compile) -> None:
    result = compile_text(KERNEL.replace("2.0f * x[i]", "2.0f * z[i]"))
    assert result.code == "COMPILE_ERROR"
    assert result.artifact is None
    first = result.diagnostics[0]
    assert (first.file, first.line, first.severity) == ("submission.cu", 5, "error")
    assert "z" in first.message
    assert result.message == first.message


def test_compile_error_is_cached(compile_text: Compile) -> None:
    text = KERNEL.replace("return y;", "return y")
    first, second = compile_text(text), compile_text(text)
    assert (first.code, first.cache_hit) == ("COMPILE_ERROR", False)
    assert (second.code, second.cache_hit) == ("COMPILE_ERROR", True)
    assert second.diagnostics == first.diagnostics
    assert second.seconds < 0.5


def test_link_error_names_the_function(compile_text: Compile) -> None:
    text = (
        "#include <torch/extension.h>\nint helper(int);\nint forward(int a) { return helper(a); }"
    )
    result = compile_text(text)
    assert result.code == "LINK_ERROR"
    assert "helper(int)" in result.message


def test_missing_forward(compile_text: Compile) -> None:
    result = compile_text("#include <torch/extension.h>\nint other(int a) { return a; }")
    assert result.code == "COMPILE_ERROR"
    assert result.message == "the extension must bind 'forward', but no such function is declared"


def test_unsupported_names_the_construct(compile_text: Compile) -> None:
    result = compile_text("#include <cub/cub.cuh>\n" + KERNEL)
    assert result.code == "UNSUPPORTED"
    assert "CUB" in result.message


def test_forbidden_flag(compile_text: Compile) -> None:
    result = compile_text(KERNEL, extra_cflags=("-fplugin=/tmp/x.so",))
    assert result.code == "FORBIDDEN"
    assert "-fplugin=/tmp/x.so" in result.message


def test_load_inline_binds_declared_functions(module: Load) -> None:
    cuda = "#include <cuda_runtime.h>\n" + KERNEL.replace("forward", "twice_cuda")
    cpp = '#line 1 "main.cpp"\ntorch::Tensor twice_cuda(torch::Tensor x);\n'
    extension = module(cuda, cpp=cpp, functions=("twice_cuda",))
    x = on_device(torch.arange(40.0))
    assert torch.equal(extension.twice_cuda(x), 2 * torch.arange(40.0))


def test_load_inline_with_cpp_definitions(module: Load) -> None:
    cuda = KERNEL.replace("forward", "twice_cuda")
    cpp = """torch::Tensor twice_cuda(torch::Tensor x);
    torch::Tensor four_times(torch::Tensor x) { return twice_cuda(twice_cuda(x)); }
    int64_t rank(const torch::Tensor& x) { return x.dim(); }"""
    extension = module(cuda, cpp=cpp, functions=("four_times", "rank"))
    x = on_device(torch.arange(5.0))
    assert torch.equal(extension.four_times(x), 4 * torch.arange(5.0))
    assert extension.rank(x) == 1
    assert not hasattr(extension, "twice_cuda")


def test_load_inline_needs_the_declaration(compile_text: Compile) -> None:
    result = compile_text(KERNEL, cpp="", functions=("forward",))
    assert result.code == "COMPILE_ERROR"
    assert "'forward'" in result.message


def test_any_text_can_be_written(compile_text: Compile) -> None:
    result = compile_text("\ufeff// \u00e9 \ud800\r\n#include <torch/extension.h>\r\nint f = é;")
    assert result.code == "COMPILE_ERROR"
    assert result.diagnostics[0].file == "submission.cu"


def test_macros_reach_the_text(module: Load) -> None:
    text = "#include <torch/extension.h>\nint forward() { return ANSWER; }"
    assert module(text, extra_cuda_cflags=("-DANSWER=42", "-O3")).forward() == 42


@pytest.mark.parametrize(
    "body",
    [
        "double forward(double x) { return std::riemann_zeta(x); }",
        'double forward(double x) { return std::string_view("ab").size() + std::hypot(x, 0.0); }',
    ],
)
def test_rare_names_of_the_standard_library(module: Load, body: str) -> None:
    assert module(f"#include <torch/extension.h>\n{body}").forward(2.0) > 1.6


def test_timeout_is_not_cached(compile_text: Compile) -> None:
    text = KERNEL + "\n// never built before"
    result = compile_text(text, timeout_seconds=0.02)
    assert result.code == "TIMEOUT"
    again = compile_text(text)
    assert (again.code, again.cache_hit) == (None, False)


def test_endless_templates_end(compile_text: Compile) -> None:
    text = "template <int N> struct A { A<N + 1> next; };\nA<0> a;\nint forward() { return 0; }"
    result = compile_text(text)
    assert result.code == "COMPILE_ERROR"
    assert "template instantiation depth" in result.message
    assert len(result.diagnostics) <= 100


def test_many_errors_are_bounded(compile_text: Compile) -> None:
    text = "".join(f"int a{i} = undefined_{i};\n" for i in range(3000))
    result = compile_text(text + "int forward() { return 0; }")
    assert result.code == "COMPILE_ERROR"
    assert 20 <= len(result.diagnostics) <= 100
    assert (result.diagnostics[0].file, result.diagnostics[0].line) == ("submission.cu", 1)


def test_memory_limit_is_not_the_candidates_fault(cache_dir: Path) -> None:
    limited = Builder(cache_dir, limits=Limits(memory_bytes=64 << 20))
    text = KERNEL + "\n// under a memory limit"
    request = BuildRequest("cpu", (SourceFile("submission.cu", text, "cuda"),), builder="slim")
    result = asyncio.run(limited.build(request, 60))
    assert result.code == "INTERNAL"
    again = asyncio.run(Builder(cache_dir).build(request, 60))
    assert (again.code, again.cache_hit) == (None, False)


def test_corrupted_entry_is_built_again(compile_text: Compile) -> None:
    text = KERNEL + "\n// to be corrupted"
    first = compile_text(text)
    assert first.artifact is not None
    first.artifact.write_bytes(b"not an object")
    second = compile_text(text)
    assert (second.code, second.cache_hit) == (None, False)
    assert compile_text(text).cache_hit


def test_same_build_is_joined_and_cancelled_with_its_last_waiter(builder: Builder) -> None:
    text = KERNEL + "\n// joined"
    request = BuildRequest("cpu", (SourceFile("submission.cu", text, "cuda"),), builder="slim")

    async def scenario() -> None:
        one = asyncio.ensure_future(builder.build(request, 60))
        two = asyncio.ensure_future(builder.build(request, 60))
        await asyncio.sleep(0.05)
        one.cancel()
        result = await two
        assert result.code is None
        assert builder.running == 0

    asyncio.run(scenario())


def test_cancellation_stops_the_compiler(builder: Builder) -> None:
    text = KERNEL + "\n// cancelled"
    request = BuildRequest("cpu", (SourceFile("submission.cu", text, "cuda"),), builder="slim")

    async def scenario() -> float:
        task = asyncio.ensure_future(builder.build(request, 60))
        while builder.running == 0:
            await asyncio.sleep(0.005)
        await asyncio.sleep(0.05)
        task.cancel()
        started = time.monotonic()
        with pytest.raises(asyncio.CancelledError):
            await task
        while builder.running:
            await asyncio.sleep(0.005)
        return time.monotonic() - started

    assert asyncio.run(scenario()) < 1.0


def test_old_entries_go_first(tmp_path: Path, cache_dir: Path) -> None:
    from verifier_gpu.build.cache import Cache
    from verifier_gpu.build.request import BuildResult

    cache = Cache(tmp_path, max_bytes=2500)
    for index in range(4):
        with cache.scratch() as scratch:
            directory = Path(scratch) / "kept"
            directory.mkdir()
            artifact = directory / "module.so"
            artifact.write_bytes(bytes(700))
            cache.put(f"key{index}", BuildResult(artifact, "slim", None), directory)
        time.sleep(0.02)
        cache.get("key0")  # used: it stays
        time.sleep(0.02)
    assert cache.get("key0") is not None
    assert cache.get("key1") is None
    assert cache.get("key3") is not None
