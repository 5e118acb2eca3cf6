"""Language and launch forms of correct kernels, in every order."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from math import erf, exp, log, sin, sqrt, tanh

import numpy as np
import pytest

from tests.verifier_gpu.emulator.support import Device, call

ORDERS = ("forward", "reverse", "shuffle")


@pytest.fixture
def basics(compiled: Callable[..., ctypes.CDLL]) -> ctypes.CDLL:
    return compiled("basics")


@pytest.mark.parametrize("order", ORDERS)
def test_indices_of_three_dimensions(basics: ctypes.CDLL, device: Device, order: str) -> None:
    nx, ny, nz = 7, 5, 3
    out = device.empty(nx * ny * nz, np.int32)
    error, report = call(basics.run_indices3d, out, nx, ny, nz, order=order)
    z, y, x = np.meshgrid(range(nz), range(ny), range(nx), indexing="ij")
    assert error == 0 and report.fault is None and report.kernels_launched == 1
    np.testing.assert_array_equal(out.reshape(nz, ny, nx), x + 100 * y + 10000 * z + 6000000)


@pytest.mark.parametrize("order", ORDERS)
def test_templates_overloads_and_functors(basics: ctypes.CDLL, device: Device, order: str) -> None:
    n = 20
    x = device.put(np.arange(n, dtype=np.float32))
    y, d = device.empty(n), device.put(np.arange(n, dtype=np.float64))
    _, report = call(basics.run_templates, x, y, d, n, order=order)
    values = np.arange(n, dtype=np.float32)
    assert report.fault is None and report.kernels_launched == 8
    np.testing.assert_array_equal(y, (values + 7 + 3) ** 2 - 1 + 0.5)
    np.testing.assert_array_equal(d, np.arange(n) + 3.25)
    assert x[0] == 6.5


def test_launches_from_macros_and_dispatch_lambdas(basics: ctypes.CDLL, device: Device) -> None:
    values = np.linspace(-3, 3, 50, dtype=np.float32)
    x, y = device.put(values), device.empty(50)
    _, report = call(basics.run_macros, x, y, 50, order="shuffle")
    assert report.fault is None and report.kernels_launched == 3
    np.testing.assert_allclose(y, np.maximum(2 * values, 0) + 1.5, rtol=1e-6)


def test_constant_memory_device_variables_structs_and_vectors(
    basics: ctypes.CDLL, device: Device
) -> None:
    x = device.put(np.ones((6, 4), np.float32))
    host = np.array([2, 3, 4, 5], np.float32)
    counter = np.zeros(1, np.int32)
    error, report = call(basics.run_constants, x, 6, host, counter)
    assert error == 0 and report.fault is None
    np.testing.assert_array_equal(x, np.tile(np.float32([2.5, 6, 4, 5]), (6, 1)))
    assert counter[0] == 11


def test_math(basics: ctypes.CDLL, device: Device) -> None:
    v = 0.75
    x, y, z = device.put(np.float32([v])), device.empty(3), device.empty(2, np.int32)
    _, report = call(basics.run_math, x, y, z)
    assert report.fault is None
    expected = [
        exp(v) + log(v) + 1 / sqrt(v) + v / 2 + v + v + 2,
        v**2 + sin(v) + v * v + 1 + v + v + v + erf(v),
        v + v + tanh(v) + exp(v) + v**3 + sqrt(v),
    ]
    np.testing.assert_allclose(y, expected, rtol=1e-6)
    assert z[0] == 8 + 31 + 4 - 2**31 + 2 - 1
    assert z[1] == 2 + 2 + 0x05040100


def test_cuda_launch_kernel_and_forward_declarations(basics: ctypes.CDLL, device: Device) -> None:
    x = device.put(np.zeros(2, np.float32))
    _, report = call(basics.run_forms, x)
    assert report.fault is None and report.kernels_launched == 2
    np.testing.assert_array_equal(x, [2, 2])


def test_device_printf_is_captured(basics: ctypes.CDLL, capfd: pytest.CaptureFixture[str]) -> None:
    _, report = call(basics.run_say, 3)
    assert report.printed == "block 0 of 3\nblock 1 of 3\nblock 2 of 3\n"
    assert capfd.readouterr().out == ""


def test_orders_differ_and_seeds_repeat(basics: ctypes.CDLL, device: Device) -> None:
    x = device.empty(1, np.int32)

    def last(order: str, seed: int) -> int:
        call(basics.run_last_writer, x, order=order, seed=seed)
        return int(x[0])

    assert last("forward", 1) == 7 * 33 - 1
    assert last("reverse", 1) == 0
    assert last("shuffle", 3) == last("shuffle", 3)
    assert len({last("shuffle", seed) for seed in range(8)}) > 3


def test_new_memory_is_poison(basics: ctypes.CDLL) -> None:
    basics.first_of_malloc.restype = ctypes.c_float
    forward, _ = call(basics.first_of_malloc, order="forward")
    shuffled, _ = call(basics.first_of_malloc, order="shuffle")
    assert np.isnan(forward) and shuffled > 1e38


def test_launch_and_declaration_forms(compiled: Callable[..., ctypes.CDLL], device: Device) -> None:
    x, y = device.put(np.ones(16, np.float32)), device.put(np.ones(16, np.float32))
    error, report = call(compiled("forms").run, x, y, order="shuffle")
    assert error == 0 and report.fault is None and report.kernels_launched == 16
    assert x[:4].tolist() == [6, 31, 31, 30]
