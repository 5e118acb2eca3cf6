"""Tolerance `auto`: hand-computed values, and kernels that it must accept or refuse."""

from __future__ import annotations

import os

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from verifier_gpu.judge import tolerance
from verifier_gpu.judge.reference import Job, TaskError, prepare
from verifier_gpu.judge.tolerance import Tolerance
from verifier_gpu.runner.tensors import Writer, read


def test_hand_computed() -> None:
    oracle = torch.tensor([1.0, 2.0, 0.0, -4.0], dtype=torch.float64)
    native = torch.tensor([1.0, 2.0, 0.0, -4.0], dtype=torch.float32)
    # median of 1, 2, 4 is 2; the third element deviates most: 0.01 / (0 + 2).
    noisy = torch.tensor([1.0, 2.0, 0.01, -4.0], dtype=torch.float64)
    found = tolerance.derive(oracle, native, [noisy])
    assert found.relative == pytest.approx(8 * 0.005)
    assert found.absolute == pytest.approx(8 * 0.005 * 2)


def test_torchs_own_error_counts_fourfold() -> None:
    oracle = torch.tensor([1.0], dtype=torch.float64)
    native = torch.tensor([1.002], dtype=torch.float32)
    assert tolerance.derive(oracle, native, []).relative == pytest.approx(4 * 0.001, rel=1e-3)


def test_floor_is_sixteen_units_of_the_outputs_dtype() -> None:
    oracle = torch.tensor([3.0], dtype=torch.float64)
    for dtype in (torch.float32, torch.bfloat16):
        found = tolerance.derive(oracle, oracle.to(dtype), [oracle])
        assert found.relative == 16 * torch.finfo(dtype).eps / 2


def test_integers_are_exact() -> None:
    counts = torch.tensor([1, 2])
    assert tolerance.derive(counts, counts, []) == Tolerance(0.0, 0.0)


@given(st.floats(1e-6, 1e6), st.integers(0, 2**32))
def test_scaling_the_task_scales_only_the_absolute_part(scale: float, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    oracle = torch.randn(50, dtype=torch.float64, generator=generator)
    noisy = oracle * (1 + 1e-6 * torch.randn(50, dtype=torch.float64, generator=generator))
    native = oracle.double()
    plain = tolerance.derive(oracle, native, [noisy])
    scaled = tolerance.derive(scale * oracle, scale * native, [scale * noisy])
    assert scaled.relative == pytest.approx(plain.relative, rel=1e-6)
    assert scaled.absolute == pytest.approx(scale * plain.absolute, rel=1e-6)


def prepared(
    forward: str, inputs: str, dtype: str = "", seed: int = 7
) -> tuple[torch.Tensor, Tolerance, list[str]]:
    """Oracle, tolerance and notes of a one-output task."""
    reference = f"""
import torch
import torch.nn.functional as F
class Model(torch.nn.Module):
    def forward(self, x, *rest):
        return {forward}
def get_inputs():
    return {inputs}
def get_init_inputs():
    return []
"""
    job = Job(
        reference=reference,
        inputs_function="get_inputs",
        init_inputs_function="get_init_inputs",
        seed=seed,
        draws=1,
        device="cpu",
        dtype=dtype,
    )
    public, secret = os.memfd_create("public"), os.memfd_create("secret")
    try:
        answer = prepare(job, Writer(public), Writer(secret))
        entry = answer["expected"][0][0]
        values = read(secret, entry["values"])
    finally:
        os.close(public)
        os.close(secret)
    return values, Tolerance(entry["absolute"], entry["relative"]), answer["notes"]


def inputs_of(inputs: str, seed: int = 7) -> list[torch.Tensor]:
    from verifier_gpu.judge.reference import seed_everything
    from verifier_gpu.judge.seeds import derive

    seed_everything(derive(seed, "inputs:0"))
    return eval(inputs, {"torch": torch})


@pytest.mark.parametrize("length", [10, 1000, 100_000])
@pytest.mark.parametrize("make", ["torch.randn", "torch.rand"])
def test_a_sequential_float32_sum_is_right_and_bfloat16_is_not(length: int, make: str) -> None:
    inputs = f"[{make}(8, {length})]"
    oracle, allowed, notes = prepared("x.sum(1)", inputs)
    x = inputs_of(inputs)[0]
    sequential = torch.zeros(8)
    for column in x.T:
        sequential = sequential + column
    assert tolerance.accepts(allowed, oracle, sequential)
    assert not tolerance.accepts(allowed, oracle, x.bfloat16().sum(1).float())
    assert not notes


@pytest.mark.parametrize("seed", range(20))
def test_one_long_sum_in_sequence_is_right_whatever_the_draw(seed: int) -> None:
    inputs = "[torch.rand(20_000)]"
    oracle, allowed, _ = prepared("x.sum().reshape(1)", inputs, seed=seed)
    sequential = inputs_of(inputs, seed)[0].cumsum(0)[-1:].clone()
    for order in range(5):
        shuffled = inputs_of(inputs, seed)[0][torch.randperm(20_000)].numpy()
        total = shuffled.cumsum(dtype="float32")[-1:]
        assert tolerance.accepts(allowed, oracle, torch.from_numpy(total)), order
    assert tolerance.accepts(allowed, oracle, sequential)


@pytest.mark.parametrize("depth", [16, 512, 4096])
def test_a_sequential_float32_matrix_product_is_right_and_tf32_is_not(depth: int) -> None:
    inputs = f"[torch.randn(16, {depth}), torch.randn({depth}, 16)]"
    oracle, allowed, notes = prepared("x @ rest[0]", inputs)
    a, b = inputs_of(inputs)
    sequential = torch.zeros(16, 16)
    for k in range(depth):
        sequential = sequential + a[:, k : k + 1] * b[k : k + 1]
    assert tolerance.accepts(allowed, oracle, sequential)
    mask = ~((1 << 13) - 1)  # TF32 keeps ten bits of the fraction
    tf32 = [t.view(torch.int32).bitwise_and(mask).view(torch.float32) for t in (a, b)]
    assert not tolerance.accepts(allowed, oracle, (tf32[0] @ tf32[1]))
    assert not notes


def test_a_tanh_gelu_is_not_the_exact_one() -> None:
    oracle, allowed, _ = prepared("F.gelu(x)", "[torch.randn(1000)]")
    x = inputs_of("[torch.randn(1000)]")[0]
    approximate = torch.nn.functional.gelu(x, approximate="tanh")
    assert not tolerance.accepts(allowed, oracle, approximate)
    exact = 0.5 * x * (1 + torch.erf(x * 0.5**0.5))
    assert tolerance.accepts(allowed, oracle, exact)


@pytest.mark.parametrize(
    "forward",
    [
        "F.softmax(x, -1)",
        "F.layer_norm(x, [257])",
        "F.conv1d(x[None], rest[0])",
        "x.cumsum(1)",
        "x.var(1)",
        "x.mean(1)",
        "torch.logsumexp(x, 1)",
        "F.scaled_dot_product_attention(x[None], x[None], x[None])",
        "x.add_(1.0).exp()",
        "x.reshape(-1)[3:].view(-1) * 2",
    ],
)
def test_torchs_own_result_is_right_and_zeros_and_bfloat16_are_not(forward: str) -> None:
    inputs = "[torch.randn(32, 257), torch.randn(4, 32, 3)]"
    oracle, allowed, notes = prepared(forward, inputs)
    assert 0 < allowed.relative < 1e-3
    assert not tolerance.accepts(allowed, oracle, torch.zeros_like(oracle))
    assert not tolerance.accepts(allowed, oracle, oracle.bfloat16())
    assert not notes, notes


def test_a_weak_task_is_flagged() -> None:
    _, _, notes = prepared("(x * 0).relu()", "[torch.randn(10)]")
    assert any("zeros" in note for note in notes)


def test_a_task_without_an_oracle_falls_back_and_says_so() -> None:
    forward = "x.float() @ torch.ones(4, 4, dtype=torch.float32)"
    oracle, allowed, notes = prepared(
        "x @ torch.ones(4, 4, dtype=torch.float32)", "[torch.randn(4, 4)]"
    )
    assert any("no float64 oracle" in note for note in notes), forward
    assert allowed.relative == tolerance.FALLBACK
    assert oracle.dtype == torch.float64


def test_half_precision_tasks() -> None:
    oracle, allowed, _ = prepared("x.sum(1)", "[torch.randn(8, 100)]", dtype="bfloat16")
    assert allowed.relative >= 2**-5
    assert oracle.dtype == torch.float64


@pytest.mark.parametrize(
    ("forward", "inputs", "reason"),
    [
        ("x.no_such()", "[torch.randn(3)]", "no attribute"),
        ("3", "[torch.randn(3)]", "must return tensors"),
        ("x", "7", "list of inputs"),
    ],
)
def test_broken_tasks(forward: str, inputs: str, reason: str) -> None:
    with pytest.raises(TaskError, match=reason):
        prepared(forward, inputs)
