"""Larger kernels in the manner of public submissions."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

from tests.verifier_gpu.emulator.support import Device, call

RNG = np.random.default_rng(1)


def normal(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape).astype(np.float32)


@pytest.fixture(params=["forward", "shuffle"])
def run(
    compiled: Callable[..., ctypes.CDLL], request: pytest.FixtureRequest
) -> Callable[..., None]:
    module = compiled("idioms")

    def go(name: str, *arguments: object) -> None:
        _, report = call(getattr(module, name), *arguments, order=request.param)
        assert report.fault is None, report.fault

    return go


def test_matrix_product_with_register_tiles(run: Callable[..., None], device: Device) -> None:
    m, n, k = 128, 64, 24
    a, b, c = normal(m, k), normal(k, n), normal(m, n)
    out = device.put(c)
    run("run_sgemm", device.put(a), device.put(b), out, m, n, k)
    np.testing.assert_allclose(out, 2 * a @ b + 0.5 * c, rtol=1e-4, atol=1e-4)


def test_attention(run: Callable[..., None], device: Device) -> None:
    heads, n, d = 2, 37, 16
    q, k, v = normal(heads, n, d), normal(heads, n, d), normal(heads, n, d)
    out = device.empty((heads, n, d))
    run("run_flash", device.put(q), device.put(k), device.put(v), out, heads, n, d)
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(d)
    p = np.exp(scores - scores.max(-1, keepdims=True))
    np.testing.assert_allclose(out, p / p.sum(-1, keepdims=True) @ v, rtol=1e-4, atol=1e-5)


def test_convolution_with_halo(run: Callable[..., None], device: Device) -> None:
    h, w = 13, 21
    x, f = normal(h, w), normal(3, 3)
    out = device.empty((h, w))
    run("run_conv", device.put(x), f, out, h, w)
    padded = np.pad(x, 1)
    expected = sum(f[i, j] * padded[i : i + h, j : j + w] for i in range(3) for j in range(3))
    np.testing.assert_allclose(out, expected, rtol=1e-4, atol=1e-5)


def test_argmax(run: Callable[..., None], device: Device) -> None:
    x = np.round(normal(6, 300), 1)
    out = device.empty(6, np.int64)
    run("run_argmax", device.put(x), out, 6, 300)
    np.testing.assert_array_equal(out, x.argmax(1))


def test_cross_entropy(run: Callable[..., None], device: Device) -> None:
    x, target = normal(9, 50), RNG.integers(0, 50, 9)
    out = device.empty(1)
    run("run_cross_entropy", device.put(x), device.put(target.astype(np.int64)), out, 9, 50)
    rows = np.log(np.exp(x).sum(1)) - x[np.arange(9), target] + 0.001 * (x**2).sum(1)
    np.testing.assert_allclose(out[0], rows.mean(), rtol=1e-4)


def test_sort(run: Callable[..., None], device: Device) -> None:
    x = normal(100)
    data = device.put(x)
    run("run_bitonic", data, 100)
    np.testing.assert_array_equal(data, np.sort(x))


def test_locks_and_compare_and_swap(run: Callable[..., None], device: Device) -> None:
    total, count = device.put(np.zeros(1)), device.put(np.zeros(1, np.int32))
    run("run_locked", total, count, device.put(np.zeros(1, np.int32)), 333)
    assert total[0] == 0.5 * 332 * 333 / 2 and count[0] == 333


@pytest.mark.parametrize("n", [1, 4, 130, 256])
def test_vector_loads_with_a_tail(run: Callable[..., None], device: Device, n: int) -> None:
    x = normal(n)
    out = device.empty(n)
    run("run_vector_scale", device.put(x), out, n, ctypes.c_float(3.0))
    np.testing.assert_allclose(out, x * 3)
