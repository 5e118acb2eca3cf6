"""Arguments, results and errors across the boundary to Python, after pybind11's rules."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from tests.verifier_gpu.build.conftest import Load

TEXT = r"""
#include <torch/extension.h>
#include <string>

int32_t as_int(int32_t v) { return v; }
int64_t as_long(int64_t v) { return v; }
uint8_t as_byte(uint8_t v) { return v; }
double as_double(double v) { return v; }
float as_float(const float& v) { return v; }
bool as_bool(bool v) { return v; }
std::string as_string(const std::string& v) { return v + "!"; }
torch::Tensor as_tensor(const torch::Tensor& v) { return v; }
std::optional<int64_t> as_optional(std::optional<int64_t> v) { return v; }
std::vector<int64_t> as_list(std::vector<int64_t> v) { return v; }
int64_t sum_of(at::IntArrayRef v) { int64_t s = 0; for (auto i : v) s += i; return s; }
std::vector<torch::Tensor> reversed(std::vector<torch::Tensor> v) {
  return {v.rbegin(), v.rend()};
}
std::tuple<int, double, std::string, bool> as_tuple() { return {1, 0.5, "s", true}; }
torch::ScalarType as_dtype(torch::ScalarType t) { return t; }
torch::Tensor nothing() { return torch::Tensor(); }
double scaled(const torch::Tensor& x, double alpha, int beta) { return x.numel() * alpha + beta; }
void fails(int kind) {
  if (kind == 0) throw std::runtime_error("it failed");
  if (kind == 1) TORCH_CHECK(false, "value ", 3, " of ", 2.5, ' ', true, " ", torch::kFloat);
  if (kind == 2) TORCH_CHECK(kind == 1);
  if (kind == 3) throw 5;
  if (kind == 4) throw c10::Error("an error of torch");
  if (kind == 6) throw std::invalid_argument("a bad value");
  if (kind == 7) throw std::out_of_range("a bad index");
  if (kind == 8) TORCH_CHECK_INDEX(false, "index ", 4);
  if (kind == 9) torch::ones({2}).select(0, 5);
  if (kind == 10) TORCH_CHECK_NOT_IMPLEMENTED(false, "not yet");
  try {
    TORCH_CHECK(false, "caught");
  } catch (const c10::Error& e) {
    throw std::logic_error(e.what());
  }
}
static int offset = 10;
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("as_int", &as_int); m.def("as_long", &as_long); m.def("as_byte", &as_byte);
  m.def("as_double", &as_double); m.def("as_float", as_float); m.def("as_bool", &as_bool);
  m.def("as_string", &as_string); m.def("as_tensor", &as_tensor);
  m.def("as_optional", &as_optional); m.def("as_list", &as_list); m.def("sum_of", &sum_of);
  m.def("reversed", &reversed); m.def("as_tuple", &as_tuple); m.def("as_dtype", &as_dtype);
  m.def("nothing", &nothing);
  m.def("scaled", &scaled, "scales", py::arg("x"), py::arg("alpha") = 2.0, py::arg("beta") = 1);
  m.def("fails", &fails);
  m.def("plus", [](int a, int b) { return a + b + offset; },
        py::call_guard<py::gil_scoped_release>());
}
"""


@pytest.fixture(scope="module")
def m(module: Load) -> ModuleType:
    return module(TEXT)


@given(st.integers(-(2**31), 2**31 - 1))
def test_int_round_trip(m: ModuleType, value: int) -> None:
    assert m.as_int(value) == value


@given(st.integers(-(2**63), 2**63 - 1))
def test_long_round_trip(m: ModuleType, value: int) -> None:
    assert m.as_long(value) == value


@given(st.floats(allow_nan=False))
def test_double_round_trip(m: ModuleType, value: float) -> None:
    assert m.as_double(value) == value


@given(st.text())
def test_string_round_trip(m: ModuleType, value: str) -> None:
    assert m.as_string(value) == value + "!"


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_list_round_trip(m: ModuleType, value: list[int]) -> None:
    assert m.as_list(value) == value
    assert m.as_list(tuple(value)) == value


def test_other_values(m: ModuleType) -> None:
    assert m.as_bool(True) is True
    assert m.as_bool(0) is False
    assert m.as_double(3) == 3.0
    assert m.as_float(0.5) == 0.5
    assert m.as_optional(None) is None
    assert m.as_optional(4) == 4
    assert m.sum_of([1, 2, 3]) == 6
    assert m.as_tuple() == (1, 0.5, "s", True)
    assert m.as_dtype(torch.bfloat16) is torch.bfloat16
    assert m.nothing() is None
    assert m.plus(1, 2) == 13


def test_tensors_keep_their_identity(m: ModuleType) -> None:
    x = torch.ones(2)
    parameter = torch.nn.Parameter(torch.ones(3))
    assert m.as_tensor(x) is x
    assert m.as_tensor(parameter) is parameter
    a, b = m.reversed([x, parameter])
    assert a is parameter
    assert b is x


def test_no_reference_is_leaked(m: ModuleType) -> None:
    x = torch.ones(2)
    before = x._use_count() if hasattr(x, "_use_count") else None
    for _ in range(10):
        m.as_tensor(x)
        m.reversed([x, x])
    if before is not None:
        assert x._use_count() == before


def test_keywords_and_defaults(m: ModuleType) -> None:
    x = torch.ones(3)
    assert m.scaled(x) == 7.0
    assert m.scaled(x, beta=5) == 11.0
    assert m.scaled(x=x, alpha=1.0) == 4.0
    assert m.scaled.__doc__.startswith(
        "scaled(x: torch.Tensor, alpha: float = 2.0, beta: int = 1) -> float"
    )


@pytest.mark.parametrize(
    "wrong",
    [
        lambda m: m.as_int(2**31),
        lambda m: m.as_int(1.0),
        lambda m: m.as_byte(-1),
        lambda m: m.as_byte(256),
        lambda m: m.as_double("1"),
        lambda m: m.as_tensor(None),
        lambda m: m.as_tensor([1.0]),
        lambda m: m.as_list([1, "2"]),
        lambda m: m.as_list("12"),
        lambda m: m.as_bool("yes"),
        lambda m: m.as_int(),
        lambda m: m.as_int(1, 2),
        lambda m: m.as_int(1, other=2),
        lambda m: m.scaled(torch.ones(1), gamma=1),
        lambda m: m.scaled(torch.ones(1), x=torch.ones(1)),
        lambda m: m.reversed([torch.ones(1), None]),
    ],
)
def test_wrong_arguments(m: ModuleType, wrong: Callable[[ModuleType], Any]) -> None:
    with pytest.raises(TypeError, match=r"incompatible function arguments[\s\S]*-> "):
        wrong(m)


@pytest.mark.parametrize(
    ("kind", "text", "type_"),
    [
        (0, "it failed", RuntimeError),
        (1, "value 3 of 2.5 1 Float", RuntimeError),
        (2, "Expected kind == 1 to be true, but got false", RuntimeError),
        (3, "unknown exception", RuntimeError),
        (4, "an error of torch", RuntimeError),
        (5, "caught", RuntimeError),
        (6, "a bad value", ValueError),
        (7, "a bad index", IndexError),
        (8, "index 4", IndexError),
        (9, "index 5 out of range", IndexError),
        (10, "not yet", NotImplementedError),
    ],
)
def test_exceptions(m: ModuleType, kind: int, text: str, type_: type[Exception]) -> None:
    with pytest.raises(type_, match=text) as caught:
        m.fails(kind)
    assert caught.type is type_
