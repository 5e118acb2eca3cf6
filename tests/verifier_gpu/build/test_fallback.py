"""When torch's real headers are worth their minute."""

from __future__ import annotations

import pytest

from tests.verifier_gpu.build.conftest import Compile
from verifier_gpu.build.fallback import lacking
from verifier_gpu.build.request import BuildRequest, BuildResult, Diagnostic, SourceFile

INCLUDE = "#include <torch/extension.h>\n"


def judged(message: str, text: str = "", file: str = "submission.cu", line: int = 1) -> str:
    diagnostic = Diagnostic(file, line, 0, "error", message)
    result = BuildResult(None, "slim", "COMPILE_ERROR", message, (diagnostic,))
    return lacking(BuildRequest("cuda", (SourceFile("submission.cu", text, "cuda"),)), result)


@pytest.mark.parametrize(
    ("message", "name"),
    [
        ("‘torch::special’ has not been declared", "special"),
        ("‘class at::Tensor’ has no member named ‘erfinv’", "erfinv"),
        ('class "at::Tensor" has no member "erfinv"', "erfinv"),
        ('namespace "torch" has no member "conv2d"', "conv2d"),
        ("‘dict’ in namespace ‘py’ does not name a type", "dict"),
        ('identifier "AT_DISPATCH_COMPLEX_TYPES" is undefined', "AT_DISPATCH_COMPLEX_TYPES"),
        ("ATen/native/cuda/Loops.cuh: No such file or directory", "ATen/native/cuda/Loops.cuh"),
        ('no instance of overloaded function "at::Tensor::sum" matches the argument list', "sum"),
        ("incomplete type ‘leap::Conversion<std::map<int, int>, void>’ used in", "std::map"),
    ],
)
def test_names_of_torch(message: str, name: str) -> None:
    assert name in judged(message)


@pytest.mark.parametrize(
    "message",
    [
        "‘y’ was not declared in this scope",
        "expected ‘;’ before ‘}’ token",
        "‘Tensr’ in namespace ‘torch’ does not name a type",
        "‘class at::Tensor’ has no member named ‘contigous’; did you mean ‘contiguous’?",
        "cannot convert ‘at::Tensor’ to ‘float*’",
        "no matching function for call to ‘at::Tensor::size() const’",
        "nothing.h: No such file or directory",
        "torch/nothing.h: No such file or directory",
        'identifier "AT_NOTHING_LIKE_THIS" is undefined',
    ],
)
def test_mistakes_of_the_submission(message: str) -> None:
    assert judged(message) == ""


def test_what_follows_a_mistake_is_no_reason() -> None:
    lacks = Diagnostic("submission.cu", 7, 3, "error", "‘torch::special’ has not been declared")
    binding = Diagnostic(
        "leap/binding.h", 1, 1, "error", "no matching function for call to ‘py::f’"
    )
    mistake = Diagnostic("submission.cu", 7, 9, "error", "‘y’ was not declared in this scope")
    earlier = Diagnostic("submission.cu", 5, 9, "error", "redefinition of ‘float v’")
    request = BuildRequest("cuda", (SourceFile("submission.cu", "", "cuda"),))

    def found(*diagnostics: Diagnostic) -> str:
        return lacking(request, BuildResult(None, "slim", "COMPILE_ERROR", "", diagnostics))

    assert found(mistake, lacks) == "special"
    assert found(lacks, earlier) == ""
    assert found(binding) and not found(binding, earlier)


def test_nvcc_names_no_scope() -> None:
    message = 'name followed by "::" must be a class or namespace name'
    assert judged(message, "int a;\nauto y = torch::special::expm1(x);", line=2) == "special"
    assert judged(message, "int a;\nauto y = mine::special::expm1(x);", line=2) == ""


def test_a_name_may_come_by_an_alias() -> None:
    alias = "namespace F = torch::nn::functional;"
    assert judged("‘elu’ is not a member of ‘F’", alias) == "elu"
    assert judged("‘F::elu’ has not been declared", alias) == "elu"
    assert judged("‘elu’ is not a member of ‘F’", "namespace F = mine;") == ""


def test_only_a_failed_slim_build_counts() -> None:
    diagnostic = Diagnostic("", 0, 0, "error", "‘torch::special’ has not been declared")
    request = BuildRequest("cuda", ())
    assert lacking(request, BuildResult(None, "torch", "COMPILE_ERROR", "", (diagnostic,))) == ""
    assert lacking(request, BuildResult(None, "slim", None)) == ""


def test_cpu_target_says_what_is_missing(compile_text: Compile) -> None:
    text = INCLUDE + "torch::Tensor forward(torch::Tensor x) { return torch::special::expm1(x); }"
    result = compile_text(text, builder="auto")
    assert result.code == "UNSUPPORTED"
    assert result.message == "the cpu target's torch headers lack special"


def test_cpu_target_has_no_other_road(compile_text: Compile) -> None:
    result = compile_text(INCLUDE + "int forward() { return 1; }", builder="torch")
    assert result.code == "UNSUPPORTED"
    assert "torch's own headers" in result.message
