"""The text that g++ sees: forms, line numbers, refusals."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.verifier_gpu.emulator.support import KERNELS
from verifier_gpu.emulator import toolchain
from verifier_gpu.emulator.rewrite import Unsupported, rewrite
from verifier_gpu.emulator.tokens import Tokens


def body(text: str) -> str:
    """The rewritten text without its #line."""
    return rewrite(text, "a.cu").split("\n", 1)[1]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("k<<<1, 2>>>(x);", "(::leap::configure(1, 2), k(x));"),
        ("k<a<b>, 3><<<g, b, s, t>>>(x);", "(::leap::configure(g, b, s, t), k<a<b>, 3>(x));"),
        ("n::k <<<1,2>>> (x)", "(::leap::configure (1,2), n::k (x))"),
        ("k<<<(a << 3) >> 1, f<g<int>>(2)>>>(x, y<z>(w))",
         "(::leap::configure((a << 3) >> 1, f<g<int>>(2)), k(x, y<z>(w)))"),
        ("k<\nT><<<1,\n2>>>(\nx)", "(::leap::configure\n(1,\n2), k< T>(\nx))"),
        ("s->k<<<1, 2>>>()", "(::leap::configure(1, 2), s->k())"),
        ('f("k<<<1, 2>>>(x)"); // k<<<1, 2>>>(x)', 'f("k<<<1, 2>>>(x)"); // k<<<1, 2>>>(x)'),
        ("#define L(k) k##_f<<<1, \\\n 2>>>(x)",
         "#define L(k) (::leap::configure(1, \\\n 2), k##_f(x))"),
        ("__device__ void f() { __shared__ float a[2][N + 1], b; }",
         "__device__ void f() {  float (&a)[2][N + 1] = LEAP_SHARED, (&b) = LEAP_SHARED; }"),
        ("__device__ void f() { extern __shared__ float a[]; }",
         "__device__ void f() { { extern float leap_dynamic_a[]; } "
         "  float (*a) = LEAP_SHARED_DYNAMIC; }"),
        ("extern __shared__ int a[];",
         "extern int leap_dynamic_a[]; static   int (*&a) = LEAP_SHARED_DYNAMIC_GLOBAL;"),
        ("__device__ void f() { __shared__ alignas(16) S<int, 3> a[4]; }",
         "__device__ void f() {   S<int, 3> (&a)[4] = LEAP_SHARED; }"),
        ("__global__ void k(const T* x, int n = 3) { }",
         "__global__ void k(const T* x, int n = 3) {"
         " LEAP_KERNEL(k, (k), (LEAP_TYPE(x), LEAP_TYPE(n)), (x, n), =) }"),
        ("template <class T, int N = (1 > 0)> __global__ void k(A<T, N> x) { }",
         "template <class T, int N = (1 > 0)> __global__ void k(A<T, N> x) {"
         " LEAP_KERNEL(k, (k<T, N>), (LEAP_TYPE(x)), (x), =) }"),
        ("__global__ void k(float x[], float (*y)[4]) {}",
         "__global__ void k(float x[], float (*y)[4]) {"
         " LEAP_KERNEL(k, (k), (LEAP_TYPE(x), LEAP_TYPE(y)), (x, y), =)}"),
        ("__global__ void k(void);", "__global__ void k(void);"),
        ("cudaLaunchKernel((void*)k, g, b, a)", "cudaLaunchKernel(k, g, b, a)"),
    ],
)  # fmt: skip
def test_forms(text: str, expected: str) -> None:
    assert body(text) == expected


def test_a_function_of_both_sides_has_both_bodies() -> None:
    text = "__host__ __device__ int f() {\n#ifdef __CUDA_ARCH__\nreturn 1;\n#endif\nreturn 2; }"
    assert body(text) == (
        "__host__ __device__ int f() { if (leap_in_kernel) {\n"
        "#ifdef __CUDA_ARCH__\nreturn 1;\n#endif\nreturn 2; } else {\n"
        "#line 1\n\n#ifdef LEAP_NO_CUDA_ARCH\nreturn 1;\n#endif\nreturn 2; }}"
    )


@pytest.mark.parametrize(
    ("head", "name"),
    [
        ("int f()", "LEAP_NO_CUDA_ARCH"),
        ("struct S { int f() const", "LEAP_NO_CUDA_ARCH"),
        ("__device__ int f()", "__CUDA_ARCH__"),
        ("namespace n", "__CUDA_ARCH__"),
    ],
)
def test_host_functions_see_no_architecture(head: str, name: str) -> None:
    assert f"#ifdef {name}\n" in body(f"{head} {{\n#ifdef __CUDA_ARCH__\n#endif\n}}")


def test_arrays_of_variable_length_are_refused_on_the_device_alone() -> None:
    text = "{}void f(int n) {{ float a[n]; }}"
    assert "-Wvla" not in body(text.format("")) + body("__device__ void f() { float a[3]; }")
    assert body(text.format("__device__ ")) == (
        '__device__ void f(int n) { _Pragma("GCC diagnostic error \\"-Wvla\\"")  float a[n]; '
        '_Pragma("GCC diagnostic ignored \\"-Wvla\\"") }'
    )


def test_a_body_that_cannot_be_copied_is_unsupported() -> None:
    text = "__host__ __device__ int f() {\n#ifdef __CUDA_ARCH__\n#endif\nx: goto x; }"
    with pytest.raises(Unsupported, match="line 2: __CUDA_ARCH__ in a function of both sides"):
        body(text)


@pytest.mark.parametrize("path", sorted(KERNELS.glob("*.cu")), ids=lambda p: p.stem)
def test_lines_are_kept(path: Path) -> None:
    text = path.read_text()
    ends_arrays = '_Pragma("GCC diagnostic ignored \\"-Wvla\\"") '
    before, after = text.splitlines(), body(text).replace(ends_arrays, "").splitlines()
    assert len(before) == len(after)
    for old, new in zip(before, after, strict=True):  # what is not CUDA is not touched
        if not any(word in old for word in ("__", "(", ")", "<<<", ">>>", "cuda")):
            assert old == new


@given(st.text(alphabet="ab<>(){}[];,=\"'/*\\\n #:_0", max_size=80))
def test_any_text_is_rewritten_without_an_error_and_keeps_its_lines(text: str) -> None:
    assert body(text).count("\n") == text.count("\n")


@given(st.text(alphabet="ab<>(){}\"'/*\\\n #R", max_size=60))
def test_tokens_cover_the_text_in_order(text: str) -> None:
    position = 0
    for token in Tokens(text).items:
        assert token.start >= position and text[token.start : token.end] == token.text
        position = token.end


@pytest.mark.parametrize(
    ("text", "construct", "line"),
    [
        ('int a;\nvoid f() { asm volatile("mov.u32 %0, 1;" : "=r"(x)); }', "inline PTX", 2),
        ("#include <cub/cub.cuh>\n", "CUB", 1),
        ("#include <thrust/sort.h>\n", "Thrust", 1),
        ("using wmma::bmma_sync;", "less than 8 bits", 1),
        ("void f() { cudaMallocManaged(&p, 4); }", "managed memory", 1),
        ("texture<float, 1> t;", "texture memory", 1),
        ("void f() { cudaHostRegister(p, 4, 0); }", "cudaHostRegister of the CUDA runtime", 1),
        ("auto g = cg::this_grid();", "grid-wide", 1),
        ("__constant__ float c[2];\nvoid f() { c[0] = 1; }", "host access to the device var", 2),
        (
            "__device__ int d(int);\n__global__ void k(int (*f)(int));\n"
            "void f() { k<<<1, 1>>>(d); }",
            "the address that d",
            3,
        ),
    ],
)
def test_unsupported(text: str, construct: str, line: int) -> None:
    with pytest.raises(Unsupported, match=construct) as caught:
        rewrite(text, "a.cu")
    assert caught.value.line == line
    assert "cpu target" in str(caught.value)


def test_what_only_looks_unsupported() -> None:
    rewrite(
        "__constant__ float c[2]; __device__ float d() { return c[0]; }"
        "void f(float* h) { CHECK(cudaMemcpyToSymbol(c, h, 8)); int d = 1; k<<<1, 1>>>(d); }",
        "a",
    )
    rewrite(
        '// asm("x")\nconst char* s = "wmma"; asm volatile("" ::: "memory"); a.texture = 1;', "a"
    )


CROSSING = """
float helper(float x) { return x; }
template <class T> T twice(T x) { return x + x; }
__device__ float inside(float x) { return x; }
__host__ __device__ float both(float x) { return x; }
constexpr int four() { return 4; }
#define FUNCTION __device__ __forceinline__
FUNCTION float macro(float x) { return x; }
__device__ float declared(float x);
float declared(float x) { return x; }
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("__global__ void k(float* x) {\n x[0] = helper(1.0f); }",
         'error: calling a __host__ function("helper") from a __global__'),
        ("__device__ float d(float x) {\n return twice(x); }",
         'error: calling a __host__ function("twice") from a __device__'),
        ("float h(float x) {\n return inside(x); }",
         'error: calling a __device__ function("inside") from a __host__'),
        ("__global__ void k() {}\nvoid h() { k(); }", "must be configured"),
        ("__global__ void k(float* x) {\n x[0] = inside(both(macro(declared(four())))); }", ""),
        ("void h() {\n auto f = [] __device__ (float x) { return inside(x); }; (void)f; }",
         "error: __host__ or __device__ annotation on lambda requires --extended-lambda"),
        ("__global__ void k(float* x) {\n std::swap(x[0], x[1]); }",
         'error: calling a __host__ function("std::swap") from a __global__'),
        ("__global__ void k() {} __device__ void d() {\n k<<<1, 1>>>(); }",
         "requires separate compilation mode"),
        ("__device__ void d() {\n throw 1; }", "does not support exception handling"),
        ("__global__ void k() {\n __shared__ int s[2] = {1, 2}; }", "initializer not allowed"),
        ("struct S { __device__ float helper(float x) const { return x; } };\n"
         "__global__ void k(S s, float* x) { auto twice = [](float v) { return v; };"
         " x[0] = s.helper(twice(2.0f)); }", ""),
        ("float h(float x) { return helper(both(twice(x))) + four(); }", ""),
    ],
)  # fmt: skip
def test_calls_that_cross_execution_spaces(text: str, words: str, tmp_path: Path) -> None:
    says = _compile(CROSSING + text, tmp_path)
    if words:
        assert words in says
        assert f"a.cu:{CROSSING.count(chr(10)) + 2}:" in says
    else:
        assert says == ""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("struct S { __global__ void k(float* x) { x[0] = 1; } };", "cannot be a member function"),
        ("struct S { static __global__ void k() {} };", "cannot be a member function"),
        ("struct S { template <class T> __global__ void k(T) {} };", "cannot be a member function"),
        ("__launch_bounds__(32) __device__ void d() {}", "only allowed on a __global__ function"),
        ("int n = 32; __global__ void __launch_bounds__(n) k() {}", "constant expression"),
        ("__global__ void __launch_bounds__(1, 2, 3, 4) k() {}", "takes 1 to 3 numbers"),
        ("__global__ void k(int n, ...) {}", "a __global__ function cannot have ellipsis"),
        ("__global__ void k() { __constant__ int c; }",
         'an automatic "__constant__" variable declaration is not allowed inside a device'),
        ("void h() { __device__ int d; }",
         'an automatic "__device__" variable declaration is not allowed inside a host function'),
        ("void h() { static __device__ int d; }", 'a static "__device__" variable'),
        ("void h() { if (true) { __shared__ int s; } }", 'a static "__shared__" variable'),
        ("__global__ void k() { __shared__ int s[]; }", 'type "int []" is not allowed'),
        ("__global__ void k() { __shared__ int s[12289]; }", "too much shared data"),
        ("__global__ void k() { extern __shared__ float s[]; }\n"
         "__global__ void l() { extern __shared__ int s[]; }", "conflicting declaration"),
        ("template <class T> __global__ void k(T* x) { extern __shared__ T s[]; x[0] = s[0]; }\n"
         "void h(int* i, float* f) { k<<<1, 1>>>(i); k<<<1, 1>>>(f); }", "conflicting declaration"),
        ("template <class T> __global__ void k(T&& x) {}\nvoid h() { k<<<1, 1>>>(3); }",
         "cannot have a parameter with rvalue reference type"),
        ("struct Big { char c[32761]; };\n__global__ void k(float* x, Big b) {}",
         "Formal parameter space overflowed"),
    ],
)  # fmt: skip
def test_declarations_that_nvcc_refuses(text: str, words: str, tmp_path: Path) -> None:
    says = _compile(text, tmp_path)
    assert words in says
    assert f"a.cu:{1 + text.count(chr(10))}:" in says


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k() { static __device__ int d; __shared__ int s; d = s = 1; }",
        "__global__ void k() { struct L { __device__ int f() { return 1; } }; L().f(); }",
        "__global__ void k() { extern __device__ int d; __device__ int f(int); }",
        "namespace n { __global__ void __launch_bounds__(32, 2, 1) k() {} }",
        'extern "C" { __global__ void k() {} }',
        "template <int N> __global__ __launch_bounds__(N) void k(float (&x)[N]) {}",
        "#define KERNEL_GLOBAL __global__\nKERNEL_GLOBAL __launch_bounds__(32) void k();",
        "__global__ void k() { extern __shared__ float s[]; }\n"
        "__global__ void l() { extern __shared__ __align__(16) float s[]; }\n"
        "namespace n { __global__ void l() { extern __shared__ int s[]; } }",
        "extern __shared__ float s[];\n__global__ void l() { extern __shared__ float s[]; }",
        "__global__ void k() { __shared__ int s[12288]; s[0] = 1; }",
        "struct Big { char c[32752]; };\n__global__ void k(float* x, Big b, int n) {}",
        "template <class T> __global__ void k(T& x, const int& y) {}\n"
        "void h() { int i = 1; k<<<1, 1>>>(i, i); }",
    ],
)
def test_declarations_that_nvcc_takes(text: str, tmp_path: Path) -> None:
    assert _compile(text, tmp_path) == ""


def _compile(text: str, directory: Path) -> str:
    """What the compiler says of CUDA text; "" if nothing."""
    source = directory / "a.cpp"
    source.write_text(rewrite(text, "a.cu"))
    includes = [f"-I{d}" for d in toolchain.include_dirs()]
    command = ["g++", *toolchain.compile_flags(), *includes, "-fsyntax-only", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode != 0) == bool(done.stderr), done.stderr
    return done.stderr
