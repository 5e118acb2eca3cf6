"""Compares a candidate's outputs with the expected ones: shape, dtype, then values in chunks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import torch

from verifier_gpu.judge.tolerance import Tolerance

_CHUNK = 1 << 20  # elements compared at a time, so that memory stays bounded


@dataclass(frozen=True)
class Expected:
    """One expected output.

    values: the oracle in float64 where the output is floating, else the output itself.
    dtype: dtype that the candidate's output must have, for example "float32".
    """

    values: torch.Tensor
    dtype: str
    tolerance: Tolerance


@dataclass
class Mismatch:
    """Fields as in the proto's Mismatch."""

    output_index: int = 0
    max_absolute_error: float = 0.0
    max_relative_error: float = 0.0
    mismatched: int = 0
    total: int = 0
    first_bad_index: list[int] = field(default_factory=list)
    expected_at_first: float = 0.0
    actual_at_first: float = 0.0
    expected_shape: str = ""
    actual_shape: str = ""
    expected_dtype: str = ""
    actual_dtype: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True)
class Comparison:
    """`code` is None when the outputs agree, else a failure code of COMPARE."""

    code: str | None
    message: str = ""
    mismatch: Mismatch | None = None


def check_form(
    expected: Sequence[Expected], shapes: Sequence[list[int]], dtypes: Sequence[str]
) -> Comparison:
    """Compares number, shapes and dtypes, before any value is read."""
    if len(shapes) != len(expected):
        message = f"forward returned {len(shapes)} tensors, expected {len(expected)}"
        return Comparison("WRONG_SHAPE", message)
    for index, (want, shape, dtype) in enumerate(zip(expected, shapes, dtypes, strict=True)):
        mismatch = Mismatch(
            output_index=index,
            expected_shape=str(list(want.values.shape)),
            actual_shape=str(shape),
            expected_dtype=want.dtype,
            actual_dtype=dtype,
        )
        name = "the output" if len(expected) == 1 else f"output {index}"
        if list(want.values.shape) != shape:
            message = f"{name} has shape {shape}, expected {mismatch.expected_shape}"
            return Comparison("WRONG_SHAPE", message, mismatch)
        if want.dtype != dtype:
            message = f"{name} has dtype {dtype}, expected {want.dtype}"
            return Comparison("WRONG_DTYPE", message, mismatch)
    return Comparison(None)


def check_values(expected: Sequence[Expected], actual: Sequence[torch.Tensor]) -> Comparison:
    """Compares values of outputs whose form agrees. The first wrong output decides."""
    for index, (want, got) in enumerate(zip(expected, actual, strict=True)):
        comparison = _check_output(index, want, got, len(expected) == 1)
        if comparison.code is not None:
            return comparison
    return Comparison(None)


def _check_output(index: int, want: Expected, got: torch.Tensor, only: bool) -> Comparison:
    mismatch = Mismatch(
        output_index=index,
        total=got.numel(),
        expected_shape=str(list(got.shape)),
        actual_shape=str(list(got.shape)),
        expected_dtype=want.dtype,
        actual_dtype=want.dtype,
    )
    expected_flat, actual_flat = want.values.reshape(-1), got.reshape(-1)
    non_finite = 0
    for start in range(0, got.numel(), _CHUNK):
        expected_raw = expected_flat[start : start + _CHUNK]
        actual_raw = actual_flat[start : start + _CHUNK]
        expected, actual = _wide(expected_raw), _wide(actual_raw)
        error = (actual - expected).abs()
        # Equality in the outputs' own dtype, where integers are exact.
        same = (actual_raw == expected_raw) | (actual.isnan() & expected.isnan())
        bound = want.tolerance.absolute + want.tolerance.relative * expected.abs()
        # Where the reference is infinite or NaN, only the same value is right.
        # With a bound of 0 equality decides: a difference in double width may round to 0.
        good = same | (expected.isfinite() & (bound > 0) & (error <= bound))
        bad = ~good
        non_finite += int((bad & ~actual.isfinite() & expected.isfinite()).sum())
        finite = error.isfinite()
        if finite.any():
            mismatch.max_absolute_error = max(
                mismatch.max_absolute_error, float(error[finite].max())
            )
            relative = (error / expected.abs())[finite & (expected != 0)]
            if relative.numel():
                mismatch.max_relative_error = max(
                    mismatch.max_relative_error, float(relative.max())
                )
        if bad.any():
            if mismatch.mismatched == 0:
                first = int(bad.nonzero()[0])
                mismatch.first_bad_index = _unravel(start + first, list(got.shape))
                mismatch.expected_at_first = _real(expected[first])
                mismatch.actual_at_first = _real(actual[first])
            mismatch.mismatched += int(bad.sum())
    if mismatch.mismatched == 0:
        return Comparison(None)
    name = "the output" if only else f"output {index}"
    if non_finite:
        message = f"{name} has {non_finite} of {mismatch.total} values NaN or infinite"
        return Comparison("NON_FINITE", message, mismatch)
    message = f"{name} has {mismatch.mismatched} of {mismatch.total} values wrong"
    return Comparison("WRONG_VALUES", message, mismatch)


def _wide(values: torch.Tensor) -> torch.Tensor:
    """In a dtype of double width, in which differences do not overflow."""
    if values.is_complex():
        return values.to(torch.complex128)
    return values.double()


def _real(value: torch.Tensor) -> float:
    return float(value.real if value.is_complex() else value)


def _unravel(flat: int, shape: list[int]) -> list[int]:
    index = []
    for extent in reversed(shape):
        index.append(flat % extent)
        flat //= extent
    return index[::-1]
