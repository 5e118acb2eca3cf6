"""wmma: every type, shape and layout, what lanes hold, and how long it takes."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable

import numpy as np
import pytest
import torch

from tests.verifier_gpu.emulator.support import Device, call

SHAPES = ((16, 16, 16), (32, 8, 16), (8, 32, 16))
KINDS = [
    *(
        (name, factor, result, shape)
        for name, factor, result in (
            ("half_float", torch.float16, torch.float32),
            ("half_half", torch.float16, torch.float16),
            ("bfloat", torch.bfloat16, torch.float32),
            ("schar", torch.int8, torch.int32),
            ("uchar", torch.uint8, torch.int32),
        )
        for shape in SHAPES
    ),
    ("tf32", torch.float32, torch.float32, (16, 16, 8)),
    ("dp", torch.float64, torch.float64, (8, 8, 4)),
]


@pytest.fixture
def kernels(compiled: Callable[..., ctypes.CDLL]) -> ctypes.CDLL:
    return compiled("tensor_cores")


def put(device: Device, values: torch.Tensor, row_major: int) -> np.ndarray:
    """Bytes on the device, with rows or columns of the matrix one after the other."""
    lying = (values if row_major else values.t()).contiguous()
    return device.put(lying.flatten().view(torch.uint8).numpy())


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind[0]}-{kind[3]}")
def test_products(kernels: ctypes.CDLL, device: Device, kind: tuple) -> None:
    name, factor, result, (m, n, k) = kind
    generator = torch.Generator().manual_seed(3)

    def draw(rows: int, columns: int, dtype: torch.dtype) -> torch.Tensor:
        low = 0 if dtype == torch.uint8 else -8  # small: every sum of products is exact
        return torch.randint(low, 9, (rows, columns), generator=generator).to(dtype)

    a, b, c = draw(m, k, factor), draw(k, n, factor), draw(m, n, result)
    expected = (a.double() @ b.double() + c.double()).to(result)
    function = getattr(kernels, f"{name}_{m}x{n}x{k}")
    for rows, columns, accumulator in np.ndindex(2, 2, 2):
        x, y, z = put(device, a, rows), put(device, b, columns), put(device, c, accumulator)
        _, report = call(function, rows, columns, x, y, z, accumulator)
        assert report.fault is None
        got = torch.from_numpy(z.copy()).view(result)
        got = got.view(m, n) if accumulator else got.view(n, m).t()
        assert torch.equal(got, expected)


def test_accumulators_lie_as_on_sm_80(kernels: ctypes.CDLL, device: Device) -> None:
    matrix = device.put(np.arange(256, dtype=np.float32))
    held = device.empty((32, 8))
    _, report = call(kernels.run_places, matrix, held)
    assert report.fault is None
    lane, i = np.mgrid[:32, :8]
    row, column = lane // 4 + 8 * (i // 2 % 2), 2 * (lane % 4) + i % 2 + 8 * (i // 4)
    assert (held == 16 * row + column).all()


def test_integer_sums_wrap_or_saturate(kernels: ctypes.CDLL, device: Device) -> None:
    out = device.empty(256, np.int32)
    for saturate, expected in ((False, 0x7FFFFFF0 + 160000 - 2**32), (True, 2**31 - 1)):
        _, report = call(kernels.run_sums, out, ctypes.c_bool(saturate))
        assert report.fault is None
        assert (out == expected).all()


def test_rounding_to_tf32(kernels: ctypes.CDLL, device: Device) -> None:
    unit = 2.0**-10
    x = [1 + unit / 2, 1 + unit * 0.49, -1 - unit / 2, 3.0, np.inf, -np.inf, np.nan, 1e-40]
    y = device.empty(len(x))
    call(kernels.run_to_tf32, device.put(np.array(x, np.float32)), y, len(x))
    assert y[:6].tolist() == [1 + unit, 1.0, -1 - unit, 3.0, np.inf, -np.inf]
    assert np.isnan(y[6])
    assert y[7] == pytest.approx(1e-40, rel=0.2)


def test_speed(kernels: ctypes.CDLL, device: Device) -> None:
    n = 64
    a, b = np.random.default_rng(0).normal(size=(2, n, n)).astype(np.float16)
    x, y, z = device.put(a), device.put(b), device.empty((n, n))
    start = time.perf_counter()
    _, report = call(kernels.run_matrices, x, y, z, n)
    seconds = time.perf_counter() - start
    assert report.fault is None
    np.testing.assert_allclose(z, a.astype(float) @ b.astype(float), rtol=1e-4, atol=1e-4)
    assert seconds < 0.2
    print(f"{seconds * 1e3:.1f} ms")
