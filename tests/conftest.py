"""What every test shares: GPU tests need a GPU; a busy machine fails no property test."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.verifying import Verifier, running_verifier

settings.register_profile("leap", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("leap")


@pytest.fixture(scope="session")
def verifier() -> Iterator[Verifier]:
    """One verifier for all tests of a session, target cpu."""
    with running_verifier("--with-parent") as running:
        yield running


@cache
def _has_gpu() -> bool:
    return Path("/dev/nvidiactl").exists() and (
        shutil.which("nvcc") is not None or Path("/usr/local/cuda/bin/nvcc").exists()
    )


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if _has_gpu():
        return
    skip = pytest.mark.skip(reason="needs an NVIDIA GPU and nvcc")
    for item in items:
        if "gpu" in item.keywords:
            item.add_marker(skip)
