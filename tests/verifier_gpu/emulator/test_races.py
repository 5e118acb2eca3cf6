"""Data races are faults in every order; ordered accesses and harmless ones are not."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import numpy as np
import pytest

from tests.verifier_gpu.emulator.support import Device, call
from verifier_gpu.emulator import runtime

ORDERS: tuple[runtime.Order, ...] = ("forward", "reverse", "shuffle")


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("neighbour", "shared memory that thread"),
        ("second_barrier_missing", "no barrier between them"),
        ("blocks_write_one_place", "global memory that thread (0, 0, 0) of another block writes"),
        ("stencil_in_place", "global memory that thread"),
        ("lost_update", "global memory that thread"),
        ("warp_without_syncwarp", "shared memory that thread"),
        ("wrong_half_of_the_warp", "shared memory that thread"),
        ("shuffle_is_no_barrier", "shared memory that thread"),
        ("last_block_without_fence", "__threadfence"),
        ("variable", "global memory that thread"),
    ],
)
def test_races(
    compiled: Callable[..., ctypes.CDLL],
    device: Device,
    name: str,
    words: str,
    order: runtime.Order,
) -> None:
    x = device.put(np.zeros(128, np.float32))
    _, report = call(getattr(compiled("races"), f"run_{name}"), x, 128, order=order)
    fault = report.fault
    assert fault is not None and fault.code == "DATA_RACE"
    assert fault.kernel == name and words in fault.message, fault
    assert fault.file == "races.cu" and fault.line > 0


def test_a_late_write_races_with_atomics(
    compiled: Callable[..., ctypes.CDLL], device: Device
) -> None:
    x = device.put(np.zeros(128, np.float32))
    _, report = call(compiled("races").run_cleared_too_late, x, 128)
    assert report.fault is not None and report.fault.code == "DATA_RACE"


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    "name",
    [
        "same_value", "syncwarp", "tiles", "small_neighbours", "lock", "compare_and_swap",
        "fenced", "two_launches", "exited",
    ],
)  # fmt: skip
def test_no_races(
    compiled: Callable[..., ctypes.CDLL], device: Device, name: str, order: runtime.Order
) -> None:
    x = device.put(np.zeros(128, np.float32))
    _, report = call(getattr(compiled("races"), f"run_{name}"), x, 128, order=order)
    assert report.fault is None, report.fault
