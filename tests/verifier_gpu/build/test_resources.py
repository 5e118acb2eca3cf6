"""Cores and memory of a container, not of the machine under it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from verifier_gpu.build.resources import usable_cores, usable_memory_bytes

CORES = len(os.sched_getaffinity(0))


@pytest.mark.parametrize(
    ("quota", "cores"),
    [("100000 100000", 1), ("50000 100000", 1), ("150000 100000", min(2, CORES)),
     ("max 100000", CORES), ("90000000 100000", CORES), ("", CORES), ("nonsense", CORES)],
)  # fmt: skip
def test_cores(quota: str, cores: int, tmp_path: Path) -> None:
    (tmp_path / "cpu.max").write_text(quota + "\n")
    assert usable_cores(tmp_path) == cores


def test_memory(tmp_path: Path) -> None:
    machine = usable_memory_bytes(tmp_path)
    assert machine > 1 << 30
    (tmp_path / "memory.max").write_text("1073741824\n")
    assert usable_memory_bytes(tmp_path) == 1 << 30
    (tmp_path / "memory.max").write_text("max\n")
    assert usable_memory_bytes(tmp_path) == machine
