"""Warp operations, atomics, cooperative groups, half and bfloat16."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest
import torch

from tests.verifier_gpu.emulator.support import Device, call

ORDERS = ("forward", "reverse", "shuffle")


@pytest.fixture
def warps(compiled: Callable[..., ctypes.CDLL]) -> ctypes.CDLL:
    return compiled("warps")


@pytest.mark.parametrize("order", ORDERS)
def test_warp_operations(warps: ctypes.CDLL, device: Device, order: str) -> None:
    out = device.empty((64, 16), np.int32)
    _, report = call(warps.run_warp_operations, out, order=order)
    assert report.fault is None
    i = np.arange(64)
    lane, base = i % 32, i // 32 * 32
    assert (out[:, 0] == base + 3).all()
    assert (out[:, 1] == np.where(lane >= 2, i - 2, i)).all()
    assert (out[:, 2] == np.where(lane % 8 < 6, i + 2, i)).all()
    assert (out[:, 3] == (i ^ 1)).all()
    assert (out[:, 4] == 7).all()
    assert (out[:, 5] == 1).all()
    assert (out[:, 6] == 8).all()
    assert (out[:, 7] == base * 32 + 496 - base).all()
    assert (out[:, 8] == np.where(lane < 31, i + 1, i)).all()
    assert (out[:, 9] == np.where(lane < 8, base + 7 + 800, 24 + 2400)).all()
    assert (out[:, 10] == -1).all() and (out[:, 11] == 1).all()


@pytest.mark.parametrize("order", ORDERS)
def test_atomics(warps: ctypes.CDLL, device: Device, order: str) -> None:
    i = device.put(np.array([0, 0, 0, 0, 0, 255, 0, 0], np.int32))
    u, ull = device.put(np.zeros(3, np.uint32)), device.put(np.zeros(1, np.uint64))
    f, d = device.put(np.zeros(2, np.float32)), device.put(np.zeros(1))
    _, report = call(warps.run_atomics, i, u, ull, f, d, order=order)
    assert report.fault is None
    assert i.tolist() == [1225, -50, 49, -49, 255, 0, 0, 42]
    assert u.tolist() == [50 % 11, (0 - 50) % 11, 100]
    assert ull[0] == 50 and f.tolist() == [25.0, 49.0] and d[0] == 12.5


@pytest.mark.parametrize("order", ORDERS)
def test_cooperative_groups(warps: ctypes.CDLL, device: Device, order: str) -> None:
    out = device.empty((64, 4))
    _, report = call(warps.run_groups, out, order=order)
    assert report.fault is None
    i = np.arange(64)
    assert (out[:, 0] == 8 * (i // 8 * 8) + 28).all()
    assert (out[:, 1] == i % 32 + 1).all()
    assert (out[:, 2] == np.minimum(i % 8 + 1, 7) + 100 * (i % 32 // 8)).all()
    assert (out[:, 3] == np.where(i % 2, 16, -1)).all()


def test_half_and_bfloat16_round_as_torch_does(warps: ctypes.CDLL, device: Device) -> None:
    special = [0.0, -0.0, 65504.0, 65520.0, 6e-8, 3e-8, 2.9e-8, 1e-5, np.inf, -np.inf, 1 + 2**-11]
    rng = np.random.default_rng(0)
    x = np.concatenate([special, rng.normal(size=500) * 10.0 ** rng.integers(-6, 5, 500)])
    x = x.astype("f")
    y = np.roll(x, 7)
    out = device.empty((len(x), 10))
    _, report = call(warps.run_halves, device.put(x), device.put(y), out, len(x))
    assert report.fault is None
    a, b = torch.from_numpy(x).half(), torch.from_numpy(y).half()
    c, d = torch.from_numpy(x).bfloat16(), torch.from_numpy(y).bfloat16()
    fused = (a.double() * b.double() + a.double()).to(torch.float16)
    expected = [a, a + b, a * b, a / b, fused, c, c + d, c * d, a * 2, b * 2]
    for column, values in enumerate(expected):
        np.testing.assert_array_equal(
            np.nan_to_num(out[:, column], nan=12345.0),
            np.nan_to_num(values.float().numpy(), nan=12345.0),
            err_msg=f"column {column}",
        )


def test_half_buffers_and_shuffles(warps: ctypes.CDLL, device: Device) -> None:
    x = device.put(np.arange(20, dtype=np.float16))
    out, wide = device.put(np.zeros(2, np.float16)), device.empty(1)
    _, report = call(warps.run_half_sum, x, out, wide, 20)
    assert report.fault is None
    assert wide[0] == 190 and out.tolist() == [1.0, 32.0]
