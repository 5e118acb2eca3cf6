"""Extensions as people and models write them, on both targets."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import pytest
import torch

from tests.verifier_gpu.build.conftest import CORPUS, Compile, Load, on_device

torch.manual_seed(0)
X = torch.randn(5, 37)
W = torch.randn(37, 3)


def _host_operations(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    t = x.t().contiguous()
    s = t.sum(-1, keepdim=True) + w.t().mean(0).unsqueeze(0)
    m = x @ w
    z = torch.full_like(m, 0.5) * m.abs().max()
    joined = torch.cat([z.flatten(), s.flatten(), torch.full((2,), 3.0)])
    return joined[: len(joined) - 1][1 : len(joined) - 1]


Case = tuple[list[Any], Callable[..., Any]]
CASES: dict[str, Case] = {
    "accessor_2d": ([X, torch.arange(5.0)], lambda x, s: x * s[:, None]),
    "dispatch_half": ([X.to(torch.bfloat16)], lambda x: (x.float() ** 2).to(torch.bfloat16)),
    "options_outputs": ([X], lambda x: [x.sum(1), x.argmax(1).int()]),
    "tuple_optional": ([X, None, 2.0], lambda x, b, a: (x * 2, 2)),
    "shared_reduce": ([X], lambda x: x.softmax(-1)),
    "host_operations": ([X, W], _host_operations),
    "lists": (
        [[X, X, X], [37, 5], [1, 2], [0.5, 1.5]],
        lambda x, shape, *_: (3 * x[0]).reshape(shape) * 2 + 3,
    ),
    "integer_types": (
        [torch.arange(12).reshape(4, 3), torch.tensor([3, 0], dtype=torch.int32)],
        lambda t, i: t[i.long()],
    ),
    "constant_lambda": (
        [X],
        lambda x: (
            torch.nn.functional.gelu(x).flatten()
            * torch.tensor([1.0, 2, 3, 4]).repeat(47)[: x.numel()]
        ).reshape(x.shape),
    ),
    "rms_norm": ([X], lambda x: x * torch.rsqrt((x**2).mean(-1, keepdim=True) + 1e-5)),
    "atomics_warp": ([X], lambda x: x.sum()),
    "double_precision": (
        [X.double()],
        lambda x: x * torch.rsqrt((x**2).mean(1, keepdim=True) + 1e-6),
    ),
}


def _place(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return on_device(value)
    if isinstance(value, list):
        return [_place(item) for item in value]
    return value


@pytest.mark.parametrize("name", CASES)
def test_matches_torch(name: str, module: Load, call: Callable[..., Any]) -> None:
    arguments, reference = CASES[name]
    extension = module((CORPUS / f"{name}.cu").read_text())
    defaults = [1e-6] if name == "double_precision" else []
    actual = call(extension.forward, *_place(arguments), *defaults)
    expected = reference(*arguments)
    torch.testing.assert_close(actual, expected)


def test_in_place(module: Load, call: Callable[..., Any]) -> None:
    x = on_device(X)
    extension = module((CORPUS / "in_place.cu").read_text())
    assert call(extension.forward, x, 1.5) is None
    torch.testing.assert_close(x, X + 1.5)


def test_corpus_has_no_untested_source() -> None:
    assert {path.stem for path in CORPUS.glob("*.cu")} == {*CASES, "in_place"}


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
@pytest.mark.parametrize("name", ["dispatch_half", "rms_norm", "tuple_optional"])
def test_nvcc_takes_the_same_text(name: str, compile_text: Compile) -> None:
    result = compile_text((CORPUS / f"{name}.cu").read_text(), target="cuda")
    assert result.code is None, result.diagnostics
    assert result.road == "slim"
    assert result.kernels
    assert all(kernel.registers > 0 for kernel in result.kernels)
