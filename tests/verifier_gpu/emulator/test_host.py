"""The CUDA runtime API as host code sees it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np

from tests.verifier_gpu.emulator.support import call


def test_host_api(compiled: Callable[..., ctypes.CDLL]) -> None:
    host = compiled("host")
    values = np.arange(10, dtype=np.float32)
    out = np.empty(20, np.float32)
    line, report = call(host.round_trip, values, out, 10)
    assert line == 0 and report.fault is None and report.kernels_launched == 1
    np.testing.assert_array_equal(out, np.concatenate([values * 3, np.zeros(10)]))
    assert call(host.properties)[0] == 0
    assert call(host.wrong_calls, np.zeros(32, np.float32))[0] == 0
