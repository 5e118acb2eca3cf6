"""What no build may do."""

from __future__ import annotations

import pytest

from verifier_gpu.build.policy import Forbidden, check, join_words
from verifier_gpu.build.request import BuildRequest, SourceFile


def request(text: str = "", **options: tuple[str, ...]) -> BuildRequest:
    return BuildRequest("cpu", (SourceFile("submission.cu", text, "cuda"),), **options)


@pytest.mark.parametrize(
    "flag",
    ["-O3", "--use_fast_math", "-use_fast_math", "-std=c++17", "-DN=4", "-DFOO", "-lineinfo",
     "--expt-relaxed-constexpr", "-Xptxas=-v", "-gencode=arch=compute_90,code=sm_90", "-w"],
)  # fmt: skip
def test_common_flags_pass(flag: str) -> None:
    check(request(extra_cuda_cflags=(flag,), extra_cflags=("-O2",), extra_ldflags=("-lcublas",)))


@pytest.mark.parametrize(
    "flag",
    ["-fplugin=/tmp/evil.so", "-I/etc", "-include/etc/passwd", "-include", "@/tmp/flags", "-B/tmp",
     "-specs=/tmp/x", "-wrapper", "-o/tmp/x", "-ccbin=/tmp/x", "-Xcompiler=-fplugin=x.so",
     "--compiler-bindir=/tmp", "-Wl,-rpath,/", "-D", "-DX=`id`", "-save-temps", "--run"],
)  # fmt: skip
def test_other_flags_are_named(flag: str) -> None:
    for option in ("extra_cuda_cflags", "extra_cflags"):
        with pytest.raises(Forbidden, match=option) as caught:
            check(request(**{option: (flag,)}))
        assert repr(flag) in str(caught.value)


@pytest.mark.parametrize(
    "flag", ["-Wl,-z,execstack", "-L/tmp", "-l:evil.so", "/tmp/evil.o", "-lc10"]
)
def test_linker_flags(flag: str) -> None:
    with pytest.raises(Forbidden, match="linker flag"):
        check(request(extra_ldflags=(flag,)))


def test_blank_and_joined_flags_are_split_as_torch_does() -> None:
    check(request(extra_cflags=("",), extra_cuda_cflags=("-O3 --use_fast_math", " ")))
    check(request(extra_ldflags=("",)))
    with pytest.raises(Forbidden, match="'-fplugin=x'"):
        check(request(extra_cflags=("-DX=1 -fplugin=x",)))


def test_two_word_flags_are_one() -> None:
    assert join_words(("-Xptxas", "-v", "-O3")) == ["-Xptxas=-v", "-O3"]
    with pytest.raises(Forbidden):
        check(request(extra_cuda_cflags=("-Xcompiler", "-fplugin=x.so")))


@pytest.mark.parametrize(
    "text",
    [
        '#include "/etc/passwd"',
        "#include </dev/zero>",
        '  #  include "../secret.h"',
        '#include "a/../../b.h"',
        '#include "safe.h" \n#inc\\\nlude "/etc/passwd"',
        '#/**/include "/etc/passwd"',
        '/*\n*/ #include "/etc/passwd"',
        '#define P "/etc/passwd"\n#include P',
        '%:include "/etc/passwd"',
        '#embed "/etc/passwd"',
        'asm(".incbin \\"/etc/passwd\\"");',
        'asm(".inc" "bin \\"/etc/passwd\\"");',
        'asm(".inc""bin \\"/etc/passwd\\"");',
        '#if __has_include("/etc/shadow")',
        '#include_next "/etc/passwd"',
        "leap_begin_call(0, 1);",
        "leap :: Argument a;",
        "\0",
    ],
)
def test_directives_that_leave_the_build(text: str) -> None:
    with pytest.raises(Forbidden, match=r"submission\.cu"):
        check(request(text))


@pytest.mark.parametrize(
    "text",
    ["#include <torch/extension.h>", '#include "cuda_runtime.h"', '#include <cuda/std/cmath>',
     "// #include \"/etc/passwd\" is not possible", "float a = b /c; // x\n#pragma once"],
)  # fmt: skip
def test_ordinary_text(text: str) -> None:
    check(request(text))


def test_architecture() -> None:
    with pytest.raises(Forbidden, match="sm_90"):
        check(BuildRequest("cuda", (), architecture="sm_90 -fplugin=x"))
