from __future__ import annotations

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from verifier_gpu.judge import compare
from verifier_gpu.judge.compare import Comparison, Expected, check_form, check_values
from verifier_gpu.judge.tolerance import EXACT, Tolerance

ONE_PERCENT = Tolerance(0.01, 0.01)


def expected(values: torch.Tensor, dtype: str = "float32") -> Expected:
    return Expected(values.double(), dtype, ONE_PERCENT)


def compared(want: list[float], got: list[float]) -> Comparison:
    return check_values([expected(torch.tensor(want))], [torch.tensor(got)])


def test_hand_computed_mismatch() -> None:
    found = compared([1.0, 2.0, 0.0, 4.0], [1.0, 2.5, 0.005, 3.0])
    assert found.code == "WRONG_VALUES"
    m = found.mismatch
    assert m is not None
    assert (m.mismatched, m.total, m.first_bad_index) == (2, 4, [1])
    assert (m.expected_at_first, m.actual_at_first) == (2.0, 2.5)
    assert m.max_absolute_error == 1.0 and m.max_relative_error == 0.25


def test_bound_is_absolute_plus_relative() -> None:
    assert compared([1.0], [1.0199]).code is None
    assert compared([1.0], [1.0201]).code == "WRONG_VALUES"


@pytest.mark.parametrize(
    ("want", "got", "code"),
    [
        (1.0, math.nan, "NON_FINITE"),
        (1.0, math.inf, "NON_FINITE"),
        (math.nan, math.nan, None),
        (math.inf, math.inf, None),
        (math.inf, -math.inf, "WRONG_VALUES"),
        (math.inf, 1e30, "WRONG_VALUES"),
        (math.nan, 0.0, "WRONG_VALUES"),
    ],
)
def test_non_finite_values(want: float, got: float, code: str | None) -> None:
    assert compared([want], [got]).code == code


def test_integers_are_compared_exactly() -> None:
    big = torch.tensor([2**53 + 1])
    want = [Expected(big, "int64", EXACT)]
    assert check_values(want, [big.clone()]).code is None
    assert check_values(want, [big - 1]).code == "WRONG_VALUES"


def test_the_first_wrong_output_decides() -> None:
    want = [expected(torch.ones(2)), expected(torch.ones(2))]
    found = check_values(want, [torch.ones(2), torch.zeros(2)])
    assert found.mismatch is not None and found.mismatch.output_index == 1
    assert "output 1" in found.message


@pytest.mark.parametrize(
    ("shapes", "dtypes", "code"),
    [
        ([[2, 3]], ["float32"], None),
        ([[3, 2]], ["float32"], "WRONG_SHAPE"),
        ([[6]], ["float32"], "WRONG_SHAPE"),
        ([], [], "WRONG_SHAPE"),
        ([[2, 3], [2, 3]], ["float32"] * 2, "WRONG_SHAPE"),
        ([[2, 3]], ["float64"], "WRONG_DTYPE"),
    ],
)
def test_form(shapes: list[list[int]], dtypes: list[str], code: str | None) -> None:
    assert check_form([expected(torch.ones(2, 3))], shapes, dtypes).code == code


@given(st.integers(1, 40), st.integers(1, 9), st.randoms(use_true_random=False))
def test_chunks_change_nothing(count: int, chunk: int, random: object) -> None:
    torch.manual_seed(random.randrange(2**32))  # type: ignore[attr-defined]
    want = torch.randn(count, 3)
    got = torch.where(torch.rand(count, 3) < 0.2, torch.randn(count, 3), want)
    whole = check_values([expected(want)], [got])
    size, compare._CHUNK = compare._CHUNK, chunk
    try:
        assert check_values([expected(want)], [got]) == whole
    finally:
        compare._CHUNK = size


def test_complex() -> None:
    want = [Expected(torch.tensor([1 + 1j]), "complex64", Tolerance(0.1, 0.0))]
    assert check_values(want, [torch.tensor([1 + 1.05j])]).code is None
    assert check_values(want, [torch.tensor([1 + 2j])]).code == "WRONG_VALUES"
