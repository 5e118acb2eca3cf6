"""Freed memory is kept: repeated large allocations fault in no new pages."""

from __future__ import annotations

import platform
import subprocess
import sys

import pytest

FAULTS = """
import resource, sys
import numpy as np
from policy_jax.models import keep_freed_memory

if sys.argv[1] == "keep":
    keep_freed_memory()
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    np.empty(2**26, np.uint8).fill(1)  # 64 MiB
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
faults()
print(faults())
"""


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="a setting of glibc")
def test_freed_memory_is_kept() -> None:
    faults = {
        how: int(subprocess.check_output([sys.executable, "-c", FAULTS, how]))
        for how in ("keep", "return")
    }
    assert faults["keep"] < faults["return"] / 4, faults
