"""Wrong kernels are faults with their place; refused launches do not run."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.verifier_gpu.emulator.support import KERNELS, Device, call, pointer
from verifier_gpu.emulator import runtime


@pytest.fixture
def faults(compiled: Callable[..., ctypes.CDLL]) -> ctypes.CDLL:
    return compiled("faults")


def line_of(text: str) -> int:
    lines = (KERNELS / "faults.cu").read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


def fault_of(report: runtime.Report) -> runtime.Fault:
    assert report.fault is not None
    return report.fault


def test_missing_bounds_check(faults: ctypes.CDLL, device: Device) -> None:
    x = device.put(np.zeros(100, np.float32))
    _, report = call(faults.run_write_past_end, x, 100)
    fault = fault_of(report)
    assert (fault.code, fault.kernel, fault.space) == (
        "ILLEGAL_MEMORY_ACCESS", "write_past_end", "global",
    )  # fmt: skip
    assert fault.block == (1, 0, 0) and fault.thread == (36, 0, 0)
    assert fault.file == "faults.cu" and fault.line == line_of("void write_past_end(")
    assert "byte offset 400 of an allocation of 400 bytes" in fault.message


def test_every_size_is_guarded_to_the_byte(faults: ctypes.CDLL, device: Device) -> None:
    for n in (1, 2, 3, 5, 63, 65):
        x = device.put(np.zeros(n, np.float32))
        _, report = call(faults.run_write_past_end, x, n)
        assert fault_of(report).message.startswith(f"write of 4 bytes at byte offset {4 * n}")


def test_exact_size_is_no_fault(faults: ctypes.CDLL, device: Device) -> None:
    x = device.empty(128)
    _, report = call(faults.run_write_past_end, x, 128, order="shuffle")
    assert report.fault is None
    np.testing.assert_array_equal(x, np.arange(128))


@pytest.mark.parametrize(
    ("function", "code", "space", "words"),
    [
        ("run_read_before", "ILLEGAL_MEMORY_ACCESS", "global", "read of 4 bytes"),
        ("run_shared_overrun", "ILLEGAL_MEMORY_ACCESS", "shared", "write of 4 bytes"),
        ("run_dynamic_overrun", "ILLEGAL_MEMORY_ACCESS", "shared", "write of 4 bytes"),
        ("run_host_pointer", "ILLEGAL_MEMORY_ACCESS", "", "not device memory"),
        ("run_null_pointer", "ILLEGAL_MEMORY_ACCESS", "", "null pointer"),
        ("run_wild_pointer", "ILLEGAL_MEMORY_ACCESS", "", "not device memory"),
        ("run_use_after_free", "ILLEGAL_MEMORY_ACCESS", "global", "freed allocation"),
        ("run_host_read", "ILLEGAL_MEMORY_ACCESS", "host", "host code"),
        ("run_misaligned", "MISALIGNED_ACCESS", "global", "multiple"),
        ("run_misaligned2", "MISALIGNED_ACCESS", "global", "multiple"),
        ("run_atomic_out", "ILLEGAL_MEMORY_ACCESS", "", "write of 4 bytes"),
        ("run_divergent", "DIVERGENT_BARRIER", "", "__syncthreads in line"),
        ("run_lanes_missing", "DIVERGENT_BARRIER", "", "a warp operation in line"),
        ("run_lane_not_in_mask", "DIVERGENT_BARRIER", "", "not in it"),
        ("run_recursion", "STACK_OVERFLOW", "", "stack"),
        ("run_asserting", "DEVICE_ASSERT", "", "few threads"),
        ("run_trapping", "DEVICE_ASSERT", "", "__trap"),
        ("run_ldg_out", "ILLEGAL_MEMORY_ACCESS", "global", "read of 4 bytes"),
        ("run_big_copy", "ILLEGAL_MEMORY_ACCESS", "global", "of 256 bytes"),
        ("run_memset_out", "ILLEGAL_MEMORY_ACCESS", "global", "write of 400 bytes"),
        ("run_divide", "DIVISION_BY_ZERO", "", "division by zero"),
        ("run_host_member", "COMPILE_ERROR", "", 'calling a __host__ function("operator()")'),
        ("run_by_reference", "ILLEGAL_MEMORY_ACCESS", "", "not device memory"),
        ("run_cast_far", "UNSUPPORTED", "", "conversion of 1e+20 to 'int'"),
        ("run_cast_negative", "UNSUPPORTED", "", "conversion of -1 to 'unsigned char'"),
        ("run_too_much_shared", "COMPILE_ERROR", "shared", "65536 bytes"),
        ("run_shared_together", "BAD_LAUNCH", "shared", "16388 bytes of dynamic"),
        ("run_shift", "UNSUPPORTED", "", "shift of 32 bits by 32"),
    ],
)
@pytest.mark.parametrize("order", ["forward", "shuffle"])
def test_wrong_kernels(
    faults: ctypes.CDLL,
    device: Device,
    function: str,
    code: str,
    space: str,
    words: str,
    order: runtime.Order,
) -> None:
    x, y = device.put(np.zeros(64, np.float32)), device.put(np.zeros(64, np.float32))
    _, report = call(getattr(faults, function), x, y, order=order)
    fault = fault_of(report)
    assert fault.code == code, fault
    assert words in fault.message
    assert space in ("", fault.space)
    if code not in ("STACK_OVERFLOW", "DEVICE_ASSERT"):
        assert fault.file == "faults.cu" and fault.line > 0, fault


def test_faults_name_the_statement(faults: ctypes.CDLL, device: Device) -> None:
    x, y = device.put(np.zeros(64, np.float32)), device.put(np.zeros(64, np.float32))
    for function, text in (
        (faults.run_divide, "x[1] = x[0] / n"),
        (faults.run_ldg_out, "__ldg(&x[i + 64])"),
        (faults.run_atomic_out, "atomicAdd(x + 1000, 1)"),
        (faults.run_read_before, "x[(int)threadIdx.x - 1]"),
        (faults.run_shared_overrun, "s[threadIdx.x + 1] = 1.0f"),
        (faults.run_asserting, "assert(threadIdx.x < 3"),
    ):
        assert fault_of(call(function, x, y)[1]).line == line_of(text)


def test_a_fault_is_sticky_until_the_next_call(faults: ctypes.CDLL, device: Device) -> None:
    x = device.put(np.zeros(4, np.float32))
    result, report = call(faults.run_after_fault, x)
    assert result == 700_700_700 and report.kernels_launched == 1 and x[0] == 0
    _, report = call(faults.run_write_past_end, device.empty(64), 64)
    assert report.fault is None


@pytest.mark.parametrize(
    ("grid", "block", "shared", "opt_in", "error"),
    [
        ((1, 1, 1), (64, 1, 1), 0, 0, 0),
        ((1, 1, 1), (2000, 1, 1), 0, 0, 9),
        ((1, 1, 1), (32, 32, 2), 0, 0, 9),
        ((1, 1, 1), (1, 1, 65), 0, 0, 9),
        ((0, 1, 1), (32, 1, 1), 0, 0, 9),
        ((1, 1, 1), (0, 1, 1), 0, 0, 9),
        ((1, 70000, 1), (32, 1, 1), 0, 0, 9),
        ((1, 1, 70000), (32, 1, 1), 0, 0, 9),
        ((-1, 1, 1), (32, 1, 1), 0, 0, 9),
        ((1, 1, 1), (64, 1, 1), 48 * 1024, 0, 0),
        ((1, 1, 1), (64, 1, 1), 48 * 1024 + 4, 0, 1),
        ((1, 1, 1), (64, 1, 1), 100 * 1024, 100 * 1024, 0),
        ((1, 1, 1), (64, 1, 1), 228 * 1024, 227 * 1024, 1),
    ],
)
def test_launch_limits(
    faults: ctypes.CDLL,
    device: Device,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    shared: int,
    opt_in: int,
    error: int,
) -> None:
    x = device.put(np.zeros(64, np.float32))
    result, report = call(faults.run_launch, x, *grid, *block, shared, opt_in)
    assert result == error * 1000  # cudaGetLastError resets it
    assert report.fault is None
    assert report.kernels_launched == (error == 0)
    assert (x == (error == 0)).all()
    assert bool(report.launch_error) == (error != 0)


def test_what_the_host_does_for_a_launch_is_no_fault(faults: ctypes.CDLL, device: Device) -> None:
    x = device.put(np.float32([3]))
    _, report = call(faults.run_device_member, x)
    assert report.fault is None and x[0] == 12


def test_faults_leave_the_process_well(faults: ctypes.CDLL, device: Device) -> None:
    x = device.put(np.zeros(64, np.float32))
    for _ in range(50):
        for function in (faults.run_divergent, faults.run_recursion, faults.run_wild_pointer):
            assert call(function, x)[1].fault is not None
    assert call(faults.run_launch, x, 1, 1, 1, 64, 1, 1, 0, 0)[1].fault is None


def test_allocation_interface(library: object) -> None:
    runtime.begin_call("forward", 0)
    address = runtime.allocate(100)
    assert address % 256 == 0
    assert runtime.is_device_pointer(address) and runtime.is_device_pointer(address + 99)
    assert not runtime.is_device_pointer(address + 100)
    assert not runtime.is_device_pointer(pointer(np.zeros(4)).value or 0)
    runtime.free(address)
    assert not runtime.is_device_pointer(address)
    with pytest.raises(ValueError, match="is not a device allocation"):
        runtime.free(address)
    with pytest.raises(MemoryError, match="no room"):
        runtime.allocate(1 << 50)


def test_a_small_address_space_and_a_full_device(library: Path) -> None:
    """Under RLIMIT_AS the device is smaller; freed memory is used again."""
    program = f"""
import resource
from pathlib import Path
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
from verifier_gpu.emulator import runtime
runtime.load(Path({str(library)!r}))
keep = runtime.allocate(1000)
for _ in range(20):
    runtime.free(runtime.allocate(100 << 20))
try:
    runtime.allocate(1 << 30)
except MemoryError:
    print("full")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "full\n", done.stderr
