"""Tolerance `auto`: how far a right kernel may be from the float64 oracle.

An element y of the oracle admits |candidate - y| <= absolute + relative * |y|
with relative = R and absolute = R * s, where s is the median of the non-zero
|y|. R is the largest of

  8 x  the error model of sequential summation at the task's own lengths
       (judge.rounding), as max |deviation| / (s + |y|),
  4 x  torch's own error in the task's precision against the oracle, likewise,
  a floor of 16 rounding units of the output's dtype.

It must lie below the error of computing the whole task in bfloat16 (float32
tasks), and must refuse zeros; a task where it does not is flagged in the notes.
Integer and bool outputs are compared exactly.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch

_MODEL_FACTOR = 8.0
_TORCH_FACTOR = 4.0
_FLOOR_UNITS = 16.0

#: Used when the oracle cannot be computed: KernelBench's fixed fp32 tolerance.
FALLBACK = 1e-4


@dataclass(frozen=True)
class Tolerance:
    """|candidate - expected| <= absolute + relative * |expected|, elementwise."""

    absolute: float
    relative: float

    def plus(self, other: Tolerance) -> Tolerance:
        return Tolerance(self.absolute + other.absolute, self.relative + other.relative)


EXACT = Tolerance(0.0, 0.0)


def derive(oracle: torch.Tensor, native: torch.Tensor, noisy: Sequence[torch.Tensor]) -> Tolerance:
    """The tolerance of one output.

    Args:
        oracle: the float64 result, any shape.
        native: torch's result in the task's own precision, same shape.
        noisy: results of the error model, float64, same shape.
    """
    if not native.is_floating_point():
        return EXACT
    scale = typical_size(oracle)
    ratio = _FLOOR_UNITS * rounding_unit(native.dtype)
    ratio = max(ratio, _TORCH_FACTOR * _relative_deviation(native.double(), oracle, scale))
    for result in noisy:
        ratio = max(ratio, _MODEL_FACTOR * _relative_deviation(result, oracle, scale))
    return Tolerance(absolute=ratio * scale, relative=ratio)


def fallback(native: torch.Tensor) -> Tolerance:
    """The tolerance of an output without an oracle."""
    if not native.is_floating_point():
        return EXACT
    ratio = max(FALLBACK, _FLOOR_UNITS * rounding_unit(native.dtype))
    return Tolerance(ratio * typical_size(native.double()), ratio)


def accepts(tolerance: Tolerance, expected: torch.Tensor, actual: torch.Tensor) -> bool:
    """Whether every finite element of `actual` lies within the tolerance of `expected`."""
    finite = expected.isfinite()
    error = (actual.double() - expected).abs()
    bound = tolerance.absolute + tolerance.relative * expected.abs()
    return bool((error <= bound)[finite].all())


def rounding_unit(dtype: torch.dtype) -> float:
    return torch.finfo(dtype).eps / 2


def typical_size(values: torch.Tensor) -> float:
    """Median of the finite, non-zero magnitudes; 0 if there is none."""
    magnitudes = values.abs()
    magnitudes = magnitudes[magnitudes.isfinite() & (magnitudes > 0)]
    return float(magnitudes.median()) if magnitudes.numel() else 0.0


def _relative_deviation(actual: torch.Tensor, oracle: torch.Tensor, scale: float) -> float:
    if actual.shape != oracle.shape:
        return 0.0
    bound = oracle.abs() + scale
    ratio = (actual - oracle).abs() / bound
    ratio = ratio[ratio.isfinite()]
    return float(ratio.max()) if ratio.numel() else 0.0
