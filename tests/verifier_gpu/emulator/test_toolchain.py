"""Building the runtime library, and source lines of instructions."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from pathlib import Path

import pytest

from verifier_gpu.emulator import toolchain
from verifier_gpu.emulator.lines import source_line


def test_the_library_is_built_once(library: Path) -> None:
    before = library.stat().st_mtime_ns
    assert toolchain.runtime_library(library.parent) == library
    assert library.stat().st_mtime_ns == before
    assert [path.name for path in library.parent.iterdir()] == [library.name]


def test_no_compiler_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(toolchain.ToolchainError, match="there is no C\\+\\+ compiler 'no-such-g"):
        toolchain.runtime_library(tmp_path, compiler="no-such-g++")
    with pytest.raises(toolchain.ToolchainError, match="there is no"):
        toolchain.compile_flags(compiler="no-such-g++")


def test_source_lines_of_other_files_are_unknown(
    tmp_path: Path, compiled: Callable[..., ctypes.CDLL]
) -> None:
    (tmp_path / "text").write_text("not an object")
    assert source_line(tmp_path / "text", 0) == ("", 0)
    assert source_line(tmp_path / "missing", 0) == ("", 0)
    assert source_line(Path(compiled("basics")._name), 1 << 40) == ("", 0)
