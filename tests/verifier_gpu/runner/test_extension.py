"""`load_inline` and `load` keep their meaning; what they ask of the builder is checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from verifier_gpu.runner.extension import _Extension


@pytest.fixture
def asked() -> list[dict[str, Any]]:
    return []


@pytest.fixture
def extension(asked: list[dict[str, Any]]) -> _Extension:
    return _Extension(lambda request: asked.append(request) or "module")


def test_load_inline(extension: _Extension, asked: list[dict[str, Any]]) -> None:
    module = extension.load_inline(
        "name", ["int f();", "int g();"], "__global__ void k();", functions={"f": "doc", "g": ""},
        extra_cuda_cflags=["-O3"], verbose=True,
    )  # fmt: skip
    assert module == "module"
    cpp, cuda = asked[0]["sources"]
    assert cpp["language"] == "cpp" and cuda["language"] == "cuda"
    assert cpp["text"].startswith('#include <torch/extension.h>\n#line 1 "main.cpp"\nint f();\nint')
    assert "cuda_runtime.h" in cuda["text"]
    assert asked[0]["functions"] == ["f", "g"]
    assert asked[0]["extra_cuda_cflags"] == ["-O3"] and asked[0]["extra_ldflags"] == []


def test_functions_may_be_a_string(extension: _Extension, asked: list[dict[str, Any]]) -> None:
    extension.load_inline("name", "", cuda_sources=["x"], functions="forward")
    assert asked[0]["functions"] == ["forward"]


def test_no_implicit_headers(extension: _Extension, asked: list[dict[str, Any]]) -> None:
    extension.load_inline("name", "int f();", functions="f", no_implicit_headers=True)
    assert asked[0]["sources"][0]["text"] == "int f();"


def test_load(extension: _Extension, asked: list[dict[str, Any]], tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("cuda")
    (tmp_path / "b.cpp").write_text("cpp")
    extension.load("name", [str(tmp_path / "a.cu"), str(tmp_path / "b.cpp")])
    assert [entry["language"] for entry in asked[0]["sources"]] == ["cuda", "cpp"]
    assert asked[0]["functions"] == []


def test_what_is_not_a_python_module(extension: _Extension) -> None:
    with pytest.raises(NotImplementedError):
        extension.load_inline("name", "", is_python_module=False)
