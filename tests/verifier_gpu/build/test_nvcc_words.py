"""g++'s messages in nvcc's words; the pairs are what both compilers say of one mistake."""

from __future__ import annotations

import shutil

import pytest

from tests.verifier_gpu.build.conftest import Compile
from verifier_gpu.build.nvcc_words import translate
from verifier_gpu.build.request import BuildResult, Diagnostic


def said(message: str, *notes: str) -> str:
    found = [Diagnostic("submission.cu", 1, 1, "error", message)]
    found += [Diagnostic("submission.cu", 1, 1, "note", note) for note in notes]
    result = translate(BuildResult(None, "slim", "COMPILE_ERROR", message, tuple(found)))
    assert result.message == result.diagnostics[0].message
    assert [d.message for d in result.diagnostics[1:]] == list(notes)
    return result.message


def test_notes_say_what_was_called() -> None:
    message = "no matching function for call to ‘f(int*&)’"
    template = "candidate: ‘template<class T> void f(T)’"
    plain = "candidate: ‘void f(float)’"
    wanted = '"f" matches the argument list'
    assert said(message, template) == f"no instance of function template {wanted}"
    assert said(message, template, plain) == f"no instance of overloaded function {wanted}"
    assert said(message, plain) == 'function "f" cannot be called with the given argument list'
    text = said("no matching function for call to ‘A::A(int)’")
    assert text == 'no instance of constructor "A::A" matches the argument list'


def test_what_no_rule_knows_stays() -> None:
    assert said("control reaches the ‘end’; did you mean ‘it’?").startswith("control reaches")


MISTAKES = [
    "float y = undeclared;",
    "Tensr y;",
    "float y = v.r;",
    "float y = S::q;",
    "float y[1] = {1, 2};",
    "const int c = 1; c = 2;",
    "const int c = 1; ++c;",
    "int i; int i;",
    "int i = 1 return;",
    "int i = (1;",
    "int i = f(1, 2);",
    "int i = f();",
    "float* p = 1.0f;",
    "float* p; double* q = p;",
    "float* p; double* q; q = p;",
    "float* p; g(p);",
    "g(v);",
    "int i; i.x = 1;",
    "int i; *i = 1;",
    "int i; i[0] = 1;",
    "float a = 1, b = 2; a = a % b;",
    "v = v + v;",
    "int i; i();",
    "1 = 2;",
    "int n = 1; static_assert(n > 0);",
    'static_assert(sizeof(int) == 5, "no");',
    "return 1;",
    "nowhere::f();",
    "t(1, 2.0f);",
    "o(v);",
    "float x = static_cast<float>(&v);",
]


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
def test_nvcc_says_the_same(compile_text: Compile) -> None:
    head = [
        "struct V { float x, y; };", "struct S { int i; };", "int f(int a);", "void g(int* p);",
        "template <class T> void t(T a, T b);", "void o(int);", "void o(float);",
    ]  # fmt: skip
    lines = [*head, *(f"void h{i}(V v) {{ {mistake} }}" for i, mistake in enumerate(MISTAKES))]
    says: dict[str, dict[int, str]] = {"cpu": {}, "cuda": {}}
    for target, errors in says.items():
        result = compile_text("\n".join(lines), target=target)
        for diagnostic in result.diagnostics:
            if diagnostic.severity == "error":
                errors.setdefault(diagnostic.line, diagnostic.message)
    for number, line in enumerate(lines, start=1):
        assert says["cpu"].get(number) == says["cuda"].get(number), line
        assert number in says["cuda"] or line in head
