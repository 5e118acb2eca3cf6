"""Values that cross between processes come back as they were, and bad headers are refused."""

from __future__ import annotations

import copy
import json
import math
import os
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from verifier_gpu.runner.tensors import (
    DTYPES,
    BundleError,
    Writer,
    flatten,
    read,
    read_lazily,
    same,
    tensor_map,
)


@pytest.fixture
def file() -> Iterator[int]:
    fd = os.memfd_create("test")
    yield fd
    os.close(fd)


@st.composite
def tensors(draw: st.DrawFn) -> torch.Tensor:
    dtype = draw(st.sampled_from(sorted(DTYPES)))
    shape = draw(st.lists(st.integers(0, 4), max_size=3))
    values = torch.randn(shape) * 10
    return values.to(DTYPES[dtype])


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=5)
)
values = st.recursive(
    st.one_of(scalars, tensors()),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.tuples(inner, inner),
        st.dictionaries(st.text(max_size=3), inner, max_size=3),
    ),
    max_leaves=8,
)


def equal(a: Any, b: Any) -> bool:
    if isinstance(a, torch.Tensor):
        return isinstance(b, torch.Tensor) and same(a, b) and a.dtype == b.dtype
    if isinstance(a, (list, tuple)):
        return type(a) is type(b) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, dict):
        return list(a) == list(b) and all(equal(a[key], b[key]) for key in a)
    return type(a) is type(b) and a == b


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(values, min_size=1, max_size=3))
def test_round_trip(file: int, written: list[Any]) -> None:
    os.ftruncate(file, 0)
    headers = [Writer(file).write(value) for value in written]
    headers = json.loads(json.dumps(headers))
    for value, header in zip(written, headers, strict=True):
        assert equal(read(file, header), value)
        assert equal(read_lazily(file, header), value)


def test_special_floats(file: int) -> None:
    header = Writer(file).write([math.inf, -0.0, math.nan])
    back = read(file, header)
    assert back[0] == math.inf and math.copysign(1, back[1]) == -1 and math.isnan(back[2])


def test_strided_tensors_are_packed(file: int) -> None:
    value = torch.arange(12).reshape(3, 4).T[::2]
    assert torch.equal(read(file, Writer(file).write(value)), value)


def test_a_lazy_copy_is_private(file: int) -> None:
    header = Writer(file).write(torch.ones(4))
    read_lazily(file, header).zero_()
    assert torch.equal(read_lazily(file, header), torch.ones(4))


@pytest.mark.parametrize("value", [object(), {1: 2}, {"a": {1, 2}}, torch.ones(2).to_sparse()])
def test_what_cannot_cross(file: int, value: object) -> None:
    with pytest.raises(BundleError):
        Writer(file).write(value)


GOOD = {
    "value": ["list", [["tensor", 0]]],
    "tensors": [{"dtype": "float32", "shape": [2, 2], "offset": 0, "nbytes": 16}],
}


def changed(path: list[Any], value: object) -> Any:
    header: Any = copy.deepcopy(GOOD)
    place = header
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return header


@pytest.mark.parametrize(
    "header",
    [
        None,
        [],
        {},
        {"value": [], "tensors": []},
        changed(["tensors", 0, "dtype"], "object"),
        changed(["tensors", 0, "shape"], [2, -2]),
        changed(["tensors", 0, "shape"], [2, 2.0]),
        changed(["tensors", 0, "shape"], [1 << 60, 1 << 60]),
        changed(["tensors", 0, "shape"], [1] * 100),
        changed(["tensors", 0, "nbytes"], 12),
        changed(["tensors", 0, "nbytes"], True),
        changed(["tensors", 0, "offset"], -64),
        changed(["tensors", 0, "offset"], 8),
        changed(["tensors", 0, "offset"], 64),
        changed(["value"], ["list", [["tensor", 1]]]),
        changed(["value"], ["list", [["tensor", -1]]]),
        changed(["value"], ["pickle", "gASV"]),
        changed(["value"], ["int", "1" * 5000]),
        changed(["value"], ["float", "x"]),
        changed(["value"], ["dict", [[1, ["plain", None]]]]),
        changed(["value"], ["plain", 3.5]),
    ],
)
def test_bad_headers_are_refused(file: int, header: object) -> None:
    Writer(file).write(torch.ones(2, 2))
    with pytest.raises(BundleError):
        read(file, header)


def test_limits(file: int) -> None:
    header = Writer(file).write(torch.ones(2, 2))
    with pytest.raises(BundleError, match="more than 8 bytes"):
        read(file, header, max_bytes=8)
    node: Any = ["plain", None]
    for _ in range(50):
        node = ["list", [node]]
    with pytest.raises(BundleError):
        read(file, {"value": node, "tensors": []})
    with pytest.raises(BundleError, match="too many parts"):
        read(file, {"value": ["list", [["plain", None]] * 20_000], "tensors": []})


def test_a_file_that_shrinks_is_an_error_not_a_signal(file: int) -> None:
    header = Writer(file).write(torch.ones(1000))
    os.ftruncate(file, 100)
    with pytest.raises(BundleError, match="shorter"):
        read(file, header)


def test_tree_helpers() -> None:
    tree = [torch.ones(1), (2, {"a": torch.zeros(1)})]
    assert len(flatten(tree)) == 3
    assert tensor_map(lambda t: t + 1, tree)[1][1]["a"].item() == 1
