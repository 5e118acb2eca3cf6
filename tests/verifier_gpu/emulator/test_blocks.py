"""Kernels with barriers: right in every order, and wrong when any barrier is taken away."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

from tests.verifier_gpu.emulator.support import Device, call
from verifier_gpu.emulator import runtime

Outcome = tuple[runtime.Report, np.ndarray, np.ndarray]  # with what came out, and should have
Case = Callable[[ctypes.CDLL, Device, runtime.Order], Outcome]
ORDERS: tuple[runtime.Order, ...] = ("forward", "reverse", "shuffle")
RNG = np.random.default_rng(0)


def matmul(module: ctypes.CDLL, device: Device, order: runtime.Order) -> Outcome:
    m, n, k = 33, 20, 37
    a, b = RNG.normal(size=(m, k)).astype("f"), RNG.normal(size=(k, n)).astype("f")
    out = device.empty((m, n))
    _, report = call(module.run_matmul, device.put(a), device.put(b), out, m, n, k, order=order)
    return report, out, a @ b


def row_sum(module: ctypes.CDLL, device: Device, order: runtime.Order) -> Outcome:
    x = RNG.normal(size=(5, 300)).astype("f")
    out = device.empty(5)
    _, report = call(module.run_row_sum, device.put(x), out, 5, 300, order=order)
    return report, out, x.sum(1)


def transpose(module: ctypes.CDLL, device: Device, order: runtime.Order) -> Outcome:
    x = RNG.normal(size=(45, 70)).astype("f")
    out = device.empty((70, 45))
    _, report = call(module.run_transpose, device.put(x), out, 45, 70, order=order)
    return report, out, x.T


def histogram(module: ctypes.CDLL, device: Device, order: runtime.Order) -> Outcome:
    x = RNG.integers(0, 32, 500).astype(np.int32)
    out = device.empty(32, np.int32)
    _, report = call(module.run_histogram, device.put(x), out, 500, order=order)
    return report, out, np.bincount(x, minlength=32)


def scan(module: ctypes.CDLL, device: Device, order: runtime.Order) -> Outcome:
    x = RNG.normal(size=128).astype("f")
    out = device.empty(128)
    _, report = call(module.run_scan, device.put(x), out, 128, order=order)
    return report, out, np.cumsum(x) - x


def softmax(module: ctypes.CDLL, device: Device, order: runtime.Order) -> Outcome:
    x = RNG.normal(size=(3, 200)).astype("f")
    out = device.empty((3, 200))
    _, report = call(module.run_softmax, device.put(x), out, 3, 200, order=order)
    e = np.exp(x - x.max(1, keepdims=True))
    return report, out, e / e.sum(1, keepdims=True)


def layer_norm(module: ctypes.CDLL, device: Device, order: runtime.Order) -> Outcome:
    x = RNG.normal(size=(4, 100)).astype("f")
    g, b = RNG.normal(size=100).astype("f"), RNG.normal(size=100).astype("f")
    out = device.empty((4, 100))
    arguments = (device.put(x), device.put(g), device.put(b), out, 4, 100)
    _, report = call(module.run_layer_norm, *arguments, order=order)
    centred = x - x.mean(1, keepdims=True)
    return report, out, centred / np.sqrt(x.var(1, keepdims=True) + 1e-5) * g + b


def early_return(module: ctypes.CDLL, device: Device, order: runtime.Order) -> Outcome:
    out = device.put(np.zeros(100, np.int32))
    _, report = call(module.run_early_return, out, 70, order=order)
    expected = np.where(np.arange(100) < 70, 70 * 1000000 + 50 * 1000 + 10 + 1, 0)
    return report, out, expected


def last_block(module: ctypes.CDLL, device: Device, order: runtime.Order) -> Outcome:
    x = RNG.normal(size=1000).astype("f")
    out, partial = device.empty(1), device.empty(16)
    _, report = call(module.run_last_block, device.put(x), partial, out, 1000, order=order)
    return report, out, x.sum(keepdims=True)


BARRIERS: dict[Case, range] = {  # the numbers of each kernel's barriers
    matmul: range(2),
    row_sum: range(2, 4),
    transpose: range(4, 5),
    histogram: range(5, 7),
    scan: range(7, 10),
    softmax: range(10, 14),
    layer_norm: range(14, 16),
    early_return: range(16, 17),
    last_block: range(17, 20),
}
REDUNDANT = 9  # after the scan's last step every thread reads only what it wrote


def is_right(outcome: Outcome) -> bool:
    report, out, expected = outcome
    return report.fault is None and np.allclose(out, expected, rtol=2e-4, atol=2e-5)


@pytest.fixture
def blocks(compiled: Callable[..., ctypes.CDLL]) -> ctypes.CDLL:
    module = compiled("blocks")
    call(module.remove_barrier, -1)
    return module


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("case", BARRIERS, ids=lambda c: c.__name__)
def test_right_in_every_order(
    blocks: ctypes.CDLL, device: Device, case: Case, order: runtime.Order
) -> None:
    report, out, expected = case(blocks, device, order)
    assert report.fault is None
    np.testing.assert_allclose(out, expected, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize(
    ("case", "number"),
    [(case, number) for case, numbers in BARRIERS.items() for number in numbers],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_no_barrier_can_be_taken_away(
    blocks: ctypes.CDLL, device: Device, case: Case, number: int
) -> None:
    call(blocks.remove_barrier, number)
    outcomes = [case(blocks, device, order) for order in ("forward", "shuffle")]
    assert all(map(is_right, outcomes)) == (number == REDUNDANT)
    faults = [report.fault for report, _, _ in outcomes if report.fault]
    assert all(fault.code == "DATA_RACE" and fault.line > 0 for fault in faults)
