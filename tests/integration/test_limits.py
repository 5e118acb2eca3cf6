"""Submissions that run away: a clear verdict within the limits, and the next is unharmed."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from tests.verifying import Verifier, code, good, unique

LINE = "  if (i < n) o[i] = fmaxf(x[i] + y[i], 0.f);"
ENDLESS = (
    "__device__ int down(int i)"
    " {{ volatile char a[{}]; a[i & 63] = i; return down(i + 1) + a[1]; }}"
)
SECONDS = 4.0


@pytest.fixture(autouse=True)
def the_next_is_unharmed(verifier: Verifier) -> Iterator[None]:
    yield
    assert code(verifier.verdict(unique(good()))) == "PASSED"


def in_kernel(line: str, before: str = "") -> str:
    """The right kernel with a line of device code, and declarations, before it."""
    return good(LINE, f"{line}\n{LINE}").replace("__global__", f"{before}\n__global__")


def in_host(line: str, header: str = "cstdio") -> str:
    """The right kernel with a line of host code before its launch."""
    return f"#include <{header}>\n" + good("  auto o =", f"{line}\n  auto o =")


@pytest.mark.parametrize("frame", [64, 256 << 10], ids=["small frames", "over the guard"])
def test_endless_recursion_on_the_device(verifier: Verifier, frame: int) -> None:
    source = in_kernel("  if (down(i) == 0) return;", ENDLESS.format(frame))
    verdict = verifier.verdict(source)
    assert code(verdict) == "RUNTIME_ERROR"
    assert "stack overflowed" in verdict.message
    assert verdict.fault.kernel == "add_relu" and verdict.fault.line == 3


def test_local_memory_up_to_what_a_gpu_has(verifier: Verifier) -> None:
    large = "  volatile char local[{} << 10]; local[i] = 1; if (local[i] == 2) return;"
    assert code(verifier.verdict(in_kernel(large.format(300)))) == "PASSED"
    assert code(verifier.verdict(in_kernel(large.format(16 << 10)))) == "RUNTIME_ERROR"


@pytest.mark.parametrize(
    "source",
    [
        in_kernel("  if (i == 3) for (volatile int j = 0;; ++j) {}"),
        in_kernel("  if (i == 3) for (volatile int j = 0;; ++j) {}\n  __syncthreads();"),
        in_kernel('  for (;;) printf("%d\\n", i);'),
        good("(n + 127) / 128, 128", "2147483647u, 1024"),
        in_host('  for (;;) puts("more");'),
    ],
    ids=["a thread", "a thread, before a barrier", "printf", "a grid of 2^41", "host output"],
)
def test_what_does_not_end_times_out(verifier: Verifier, source: str) -> None:
    start = time.monotonic()
    assert code(verifier.verdict(source, timeout=SECONDS)) == "TIMEOUT"
    assert time.monotonic() - start < 3 * SECONDS


@pytest.mark.parametrize("grid", ["4294967295u", "dim3(1, 70000)", "0"])
def test_grids_that_no_gpu_has(verifier: Verifier, grid: str) -> None:
    assert code(verifier.verdict(good("(n + 127) / 128, 128", f"{grid}, 128"))) == "BAD_LAUNCH"


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("  char* p = (char*)malloc(1 << 20); if (p) p[0] = 1;", "malloc"),
        ("  int* p = new int[1 << 20]; p[0] = 1; delete[] p;", "new"),
    ],
)
def test_the_heap_of_a_kernel_is_unsupported(verifier: Verifier, line: str, name: str) -> None:
    verdict = verifier.verdict(in_kernel(line))
    assert code(verdict) == "UNSUPPORTED"
    assert f"line 6: memory allocation inside a kernel ({name})" in verdict.message


def test_placement_and_deleted_functions_allocate_nothing(verifier: Verifier) -> None:
    line = "  struct P { int v = 1; P() {} P(const P&) = delete; }; P p; new (&p) P();"
    assert code(verifier.verdict("#include <new>\n" + in_kernel(line))) == "PASSED"


def test_memory_has_a_limit(verifier: Verifier) -> None:
    tensors = (
        "  std::vector<torch::Tensor> v; for (;;) v.push_back(torch::ones({1 << 26}, x.options()));"
    )
    verdict = verifier.verdict(in_host(tensors, "vector"), timeout=60.0)
    assert code(verdict) == "RUNTIME_ERROR"
    assert "out of memory" in verdict.message


def test_processes_and_threads_have_a_limit(verifier: Verifier) -> None:
    threads = "  for (;;) std::thread([] { for (;;) pause(); }).detach();"
    source = "#include <unistd.h>\n" + in_host(threads, "thread")
    assert code(verifier.verdict(source, timeout=SECONDS)) in ("RUNTIME_ERROR", "TIMEOUT")


@pytest.mark.parametrize(
    ("include", "name"),
    [
        ("thrust/device_vector.h", "Thrust"),
        ("cub/cub.cuh", "CUB"),
        ("cutlass/gemm/device/gemm.h", "CUTLASS"),
    ],
)
def test_libraries_of_templates_are_unsupported(
    verifier: Verifier, include: str, name: str
) -> None:
    verdict = verifier.verdict(in_host("", include))
    assert code(verdict) == "UNSUPPORTED"
    assert name in verdict.message


def test_ptx_is_unsupported(verifier: Verifier) -> None:
    verdict = verifier.verdict(in_kernel('  asm volatile("mov.u32 %0, %0;" : "+r"(n));'))
    assert code(verdict) == "UNSUPPORTED"
    assert "inline PTX" in verdict.message


# ---- What keeps the compiler busy -----------------------------------------------


def test_endless_templates(verifier: Verifier) -> None:
    one = "template <int N> struct T { static constexpr int value = T<N + 1>::value; };\n"
    verdict = verifier.verdict(one + in_host("  if (T<0>::value) return x;"))
    assert code(verdict) == "COMPILE_ERROR"
    assert "instantiation depth" in verdict.message


def test_templates_without_number(verifier: Verifier) -> None:
    tree = (
        "template <int N, int M> struct T { static constexpr int value ="
        " T<N + 1, M>::value + T<N + 1, M + (1 << N)>::value; };\n"
        "template <int M> struct T<28, M> { static constexpr int value = 1; };\n"
    )
    start = time.monotonic()
    verdict = verifier.verdict(tree + in_host("  if (T<0, 0>::value) return x;"), timeout=SECONDS)
    assert code(verdict) == "TIMEOUT"
    assert "compiler" in verdict.message
    assert time.monotonic() - start < 3 * SECONDS


def test_megabytes_of_errors(verifier: Verifier) -> None:
    errors = "".join(f"undeclared_{i};\n" for i in range(40_000))
    verdict = verifier.verdict(good() + errors)
    assert code(verdict) == "COMPILE_ERROR"
    assert len(verdict.diagnostics) <= 100
    assert len(verdict.feedback) < 10_000


def test_five_megabytes(verifier: Verifier) -> None:
    verdict = verifier.verdict(good() + "//" + "x" * 5_000_000)
    assert code(verdict) == "FORBIDDEN"
    assert "the limit is" in verdict.message


@pytest.mark.parametrize("header", ["/dev/zero", "/etc/passwd", "../../x.h"])
def test_includes_stay_in_the_builds_directory(verifier: Verifier, header: str) -> None:
    assert code(verifier.verdict(f'#include "{header}"\n' + good())) == "FORBIDDEN"
