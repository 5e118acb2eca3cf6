"""The CUDA runtime API as host code sees it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

from tests.verifier_gpu.emulator.support import Device, call
from verifier_gpu.emulator import runtime


def test_host_api(compiled: Callable[..., ctypes.CDLL]) -> None:
    host = compiled("host")
    values = np.arange(10, dtype=np.float32)
    out = np.empty(20, np.float32)
    line, report = call(host.round_trip, values, out, 10)
    assert line == 0 and report.fault is None and report.kernels_launched == 1
    np.testing.assert_array_equal(out, np.concatenate([values * 3, np.zeros(10)]))
    assert call(host.properties)[0] == 0
    assert call(host.wrong_calls, np.zeros(32, np.float32))[0] == 0


def test_handles_memory_and_symbols(compiled: Callable[..., ctypes.CDLL], device: Device) -> None:
    host = compiled("host")
    for function, arguments in (
        (host.handles, ()),
        (host.owners, (device.empty(4),)),
        (host.symbols, ()),
        (host.occupancy, ()),
    ):
        line, report = call(function, *arguments)
        assert line == 0 and report.fault is None, (line, report)


@pytest.mark.parametrize(
    ("kind", "words", "of_launch"),
    [(0, "", False), (1, "invalid device", False), (2, "has a zero", True), (3, "", True)],
)
def test_errors_that_nobody_took(
    compiled: Callable[..., ctypes.CDLL], kind: int, words: str, of_launch: bool
) -> None:
    call(compiled("host").leave_error, kind)
    text, by_launch = runtime.untaken_error()
    assert words in text and bool(text) == bool(words)
    assert not text or by_launch == of_launch
