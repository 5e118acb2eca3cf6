"""Kernels with barriers: right in every order, and wrong when the barriers are taken away."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

from tests.verifier_gpu.emulator.support import Device, call

ORDERS = ("forward", "reverse", "shuffle")
RNG = np.random.default_rng(0)


def matmul(module: ctypes.CDLL, device: Device, order: str) -> tuple[np.ndarray, np.ndarray]:
    m, n, k = 33, 20, 37
    a, b = RNG.normal(size=(m, k)).astype("f"), RNG.normal(size=(k, n)).astype("f")
    out = device.empty((m, n))
    _, report = call(module.run_matmul, device.put(a), device.put(b), out, m, n, k, order=order)
    assert report.fault is None
    return out, a @ b


def row_sum(module: ctypes.CDLL, device: Device, order: str) -> tuple[np.ndarray, np.ndarray]:
    x = RNG.normal(size=(5, 300)).astype("f")
    out = device.empty(5)
    _, report = call(module.run_row_sum, device.put(x), out, 5, 300, order=order)
    assert report.fault is None
    return out, x.sum(1)


def transpose(module: ctypes.CDLL, device: Device, order: str) -> tuple[np.ndarray, np.ndarray]:
    x = RNG.normal(size=(45, 70)).astype("f")
    out = device.empty((70, 45))
    _, report = call(module.run_transpose, device.put(x), out, 45, 70, order=order)
    assert report.fault is None
    return out, x.T


def histogram(module: ctypes.CDLL, device: Device, order: str) -> tuple[np.ndarray, np.ndarray]:
    x = RNG.integers(0, 32, 500).astype(np.int32)
    out = device.empty(32, np.int32)
    _, report = call(module.run_histogram, device.put(x), out, 500, order=order)
    assert report.fault is None
    return out, np.bincount(x, minlength=32)


def scan(module: ctypes.CDLL, device: Device, order: str) -> tuple[np.ndarray, np.ndarray]:
    x = RNG.normal(size=128).astype("f")
    out = device.empty(128)
    _, report = call(module.run_scan, device.put(x), out, 128, order=order)
    assert report.fault is None
    return out, np.cumsum(x) - x


def softmax(module: ctypes.CDLL, device: Device, order: str) -> tuple[np.ndarray, np.ndarray]:
    x = RNG.normal(size=(3, 200)).astype("f")
    out = device.empty((3, 200))
    _, report = call(module.run_softmax, device.put(x), out, 3, 200, order=order)
    assert report.fault is None
    e = np.exp(x - x.max(1, keepdims=True))
    return out, e / e.sum(1, keepdims=True)


def layer_norm(module: ctypes.CDLL, device: Device, order: str) -> tuple[np.ndarray, np.ndarray]:
    x = RNG.normal(size=(4, 100)).astype("f")
    g, b = RNG.normal(size=100).astype("f"), RNG.normal(size=100).astype("f")
    out = device.empty((4, 100))
    arguments = (device.put(x), device.put(g), device.put(b), out, 4, 100)
    _, report = call(module.run_layer_norm, *arguments, order=order)
    assert report.fault is None
    centred = x - x.mean(1, keepdims=True)
    return out, centred / np.sqrt(x.var(1, keepdims=True) + 1e-5) * g + b


def early_return(module: ctypes.CDLL, device: Device, order: str) -> tuple[np.ndarray, np.ndarray]:
    out = device.put(np.zeros(100, np.int32))
    _, report = call(module.run_early_return, out, 70, order=order)
    assert report.fault is None
    expected = np.where(np.arange(100) < 70, 70 * 1000000 + 50 * 1000 + 10 + 1, 0)
    return out, expected


def last_block(module: ctypes.CDLL, device: Device, order: str) -> tuple[np.ndarray, np.ndarray]:
    x = RNG.normal(size=1000).astype("f")
    out, partial = device.empty(1), device.empty(16)
    _, report = call(module.run_last_block, device.put(x), partial, out, 1000, order=order)
    assert report.fault is None
    return out, x.sum(keepdims=True)


CASES = (
    matmul, row_sum, transpose, histogram, scan, softmax, layer_norm, early_return, last_block,
)  # fmt: skip


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("case", CASES, ids=lambda c: c.__name__)
def test_right_in_every_order(
    compiled: Callable[..., ctypes.CDLL], device: Device, case: Callable, order: str
) -> None:
    out, expected = case(compiled("blocks"), device, order)
    np.testing.assert_allclose(out, expected, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.__name__)
def test_without_barriers_the_two_judged_orders_do_not_both_pass(
    compiled: Callable[..., ctypes.CDLL], device: Device, case: Callable
) -> None:
    module = compiled("blocks", "-DWITHOUT_BARRIERS")
    right = []
    for order in ("forward", "shuffle"):
        out, expected = case(module, device, order)
        right.append(np.allclose(out, expected, rtol=2e-4, atol=2e-5))
    assert not all(right)
