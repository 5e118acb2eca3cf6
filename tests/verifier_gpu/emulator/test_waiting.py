"""Threads that wait for each other without a barrier, and reads of memory that nobody wrote."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

from tests.verifier_gpu.emulator.support import Device, call
from verifier_gpu.emulator import runtime

ORDERS: list[runtime.Order] = ["forward", "reverse", "shuffle"]


@pytest.fixture
def module(compiled: Callable[..., ctypes.CDLL]) -> ctypes.CDLL:
    return compiled("waiting")


def ints(device: Device, count: int) -> np.ndarray:
    return device.put(np.zeros(count, np.int32))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("producer", [0, 39])
def test_a_flag_within_a_block(
    module: ctypes.CDLL, device: Device, order: runtime.Order, producer: int
) -> None:
    x = device.put(np.zeros(64, np.float32))
    _, report = call(module.run_hand_over, x, ints(device, 1), producer, order=order)
    assert report.fault is None, report.fault
    expected = np.full(40, 3.0)
    expected[producer] = 0
    np.testing.assert_array_equal(x[1:41], expected)


@pytest.mark.parametrize("order", ORDERS)
def test_a_flag_without_a_fence_orders_nothing(
    module: ctypes.CDLL, device: Device, order: runtime.Order
) -> None:
    x = device.put(np.zeros(2, np.float32))
    _, report = call(module.run_hand_over_without_fence, x, ints(device, 1), order=order)
    assert report.fault is not None and report.fault.code == "DATA_RACE"


@pytest.mark.parametrize("order", ORDERS)
def test_a_lock(module: ctypes.CDLL, device: Device, order: runtime.Order) -> None:
    count = ints(device, 1)
    _, report = call(module.run_count_under_lock, ints(device, 1), count, order=order)
    assert report.fault is None, report.fault
    assert count[0] == 192


@pytest.mark.parametrize("order", ORDERS)
def test_blocks_that_wait_for_each_other(
    module: ctypes.CDLL, device: Device, order: runtime.Order
) -> None:
    _, report = call(module.run_meet, ints(device, 2), order=order)
    assert report.fault is not None and report.fault.code == "UNSUPPORTED"
    assert "another block" in report.fault.message
    assert report.fault.kernel == "meet" and report.fault.line > 0
    x = device.put(np.zeros(64, np.float32))
    _, report = call(module.run_hand_over, x, ints(device, 1), 3)
    assert report.fault is None, "the next kernel starts afresh"


def test_atomics_that_change_nothing_are_no_waiting(module: ctypes.CDLL, device: Device) -> None:
    best = ints(device, 1)
    _, report = call(module.run_many_that_change_nothing, best)
    assert report.fault is None, report.fault
    assert best[0] == 5


@pytest.mark.parametrize("order", ORDERS)
def test_warp_synchronous_code(module: ctypes.CDLL, device: Device, order: runtime.Order) -> None:
    x = device.put(np.ones(64, np.float32))
    _, report = call(module.run_warp_synchronous, x, order=order)
    assert report.fault is not None and report.fault.code == "UNSUPPORTED"
    assert "warp-synchronous" in report.fault.message
    _, report = call(module.run_volatile_between_barriers, x, order=order)
    assert report.fault is None, report.fault


@pytest.mark.parametrize("order", ORDERS)
def test_shared_memory_that_nobody_wrote(
    module: ctypes.CDLL, device: Device, order: runtime.Order
) -> None:
    x = device.put(np.ones(64, np.float32))
    _, report = call(module.run_half_written, x, 64, order=order)
    assert report.unwritten is None
    _, report = call(module.run_half_written, x, 63, order=order)
    assert report.fault is None
    assert report.unwritten is not None
    assert (report.unwritten.space, report.unwritten.thread) == ("shared", (0, 0, 0))
    assert report.unwritten.kernel == "half_written" and report.unwritten.line > 0
    assert not abs(x[0]) < 1e30  # NaN, or huge


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("nbytes", [2, 4, 8])
def test_global_memory_that_nobody_wrote(
    module: ctypes.CDLL, nbytes: int, order: runtime.Order
) -> None:
    runtime.begin_call(order, 1)
    with Device() as device:  # poison is the running call's
        fresh, to = device.empty(8, f"i{nbytes}"), device.empty(8, f"i{nbytes}")
        written = device.put(np.arange(-4, 4).astype(f"i{nbytes}"))
        for source, unwritten in ((written, False), (fresh, True)):
            module.run_copy(
                nbytes, ctypes.c_void_p(source.ctypes.data), ctypes.c_void_p(to.ctypes.data)
            )
            report = runtime.end_call()
            assert (report.unwritten is not None) == unwritten
