"""The compilers' message forms."""

from __future__ import annotations

from verifier_gpu.build.diagnostics import parse, parse_linker, parse_resources
from verifier_gpu.build.request import Diagnostic, KernelResources


def test_gcc() -> None:
    output = (
        "In file included from unit0.cu:3:\n"
        "submission.cu: In function 'void f()':\n"
        "submission.cu:12:5: warning: unused variable 'a' [-Wunused-variable]\n"
        "submission.cu:14:9: error: 'foo' was not declared in this scope; did you mean 'f'?\n"
        "   14 |   foo(x);\n"
        "      |   ^~~\n"
        "submission.cu:2:10: fatal error: nothing.h: No such file or directory\n"
        "/usr/include/c++/12/x.h:5:1: note: declared here\n"
    )
    assert parse(output) == (
        Diagnostic("submission.cu", 14, 9, "error",
                   "'foo' was not declared in this scope; did you mean 'f'?"),
        Diagnostic("submission.cu", 2, 10, "error", "nothing.h: No such file or directory"),
        Diagnostic("submission.cu", 12, 5, "warning", "unused variable 'a' [-Wunused-variable]"),
        Diagnostic("x.h", 5, 1, "note", "declared here"),
    )  # fmt: skip


def test_the_place_of_a_kernel_with_too_many_parameters() -> None:
    text = "a.cu(2): Error: Formal parameter space overflowed (32768 bytes required)"
    (found,) = parse(text)
    assert (found.line, found.severity, found.message[:6]) == (2, "error", "Formal")


def test_nvcc_and_ptxas() -> None:
    output = (
        'submission.cu(7): error: identifier "foo" is undefined\n'
        "    foo(x);\n"
        "    ^\n\n"
        'submission.cu(3): warning #177-D: variable "a" was declared but never referenced\n'
        'submission.cu(1): catastrophic error: cannot open source file "x.h"\n'
        "ptxas error   : Entry function '_Z1kv' uses too much shared data (0x20000 bytes)\n"
        "ptxas fatal   : Unresolved extern function 'g'\n"
        "ptxas info    : 0 bytes gmem\n"
        '1 error detected in the compilation of "submission.cu".\n'
    )
    assert parse(output) == (
        Diagnostic("submission.cu", 7, 0, "error", 'identifier "foo" is undefined'),
        Diagnostic("submission.cu", 1, 0, "error", 'cannot open source file "x.h"'),
        Diagnostic("", 0, 0, "error",
                   "Entry function '_Z1kv' uses too much shared data (0x20000 bytes)"),
        Diagnostic("", 0, 0, "error", "Unresolved extern function 'g'"),
        Diagnostic("submission.cu", 3, 0, "warning",
                   'variable "a" was declared but never referenced'),
    )  # fmt: skip


def test_limit_keeps_errors() -> None:
    warnings = "".join(f"a.cu:{i}:1: warning: w\n" for i in range(1, 300))
    found = parse(warnings + "a.cu:9:1: error: e\n")
    assert len(found) == 100
    assert found[0].severity == "error"


def test_linker() -> None:
    output = (
        "/usr/bin/ld: unit0.cu.o: in function `forward(at::Tensor)':\n"
        "submission.cu:4: undefined reference to `helper(int)'\n"
        "/usr/bin/ld: x.o: multiple definition of `f'; y.o: first defined here\n"
        "collect2: error: ld returned 1 exit status\n"
    )
    assert [d.message for d in parse_linker(output)] == [
        "undefined reference to `helper(int)'",
        "multiple definition of `f'; y.o: first defined here",
    ]


def test_resources() -> None:
    output = (
        "ptxas info    : 0 bytes gmem\n"
        "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'\n"
        "ptxas info    : Function properties for _Z1kPf\n"
        "    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n"
        "ptxas info    : Used 40 registers, used 1 barriers, 8 bytes cumulative stack size, "
        "2048 bytes smem\n"
        "ptxas info    : Compile time = 1.2 ms\n"
    )
    assert parse_resources(output) == (KernelResources("k(float*)", 40, 16, 2048),)
