"""Submissions through the wire on the cpu target: the right verdict for each kind of failure."""

from __future__ import annotations

import time

import pytest

from protos.leap.verifier.v1 import verifier_pb2 as pb
from tests.verifying import Verifier, code, good, kernelbench, unique

KB = pb.SUBMISSION_FORMAT_KERNELBENCH

NO_BOUNDS_CHECK = good("if (i < n) ", "")
HANGS = good("if (i < n) o[i]", "while (true) if (i < n) o[i]")


def test_a_right_kernel_passes_with_everything_said(verifier: Verifier) -> None:
    verdict = verifier.verdict(unique(good()))
    assert code(verdict) == "PASSED", verdict
    assert verdict.stage == pb.STAGE_COMPARE
    assert verdict.seed > 0
    assert 0 < verdict.tolerance.relative < 1e-4
    assert {entry.name for entry in verdict.durations} >= {"queue", "build", "run", "compare"}
    assert verdict.provenance.target == pb.TARGET_CPU
    assert verdict.provenance.torch
    assert verdict.content_digest.startswith("sha256:")
    assert verdict.feedback and verdict.feedback_template == "default"


def test_wrong_values(verifier: Verifier) -> None:
    verdict = verifier.verdict(good("x[i] + y[i]", "x[i] - y[i]"))
    assert code(verdict) == "WRONG_VALUES"
    assert verdict.stage == pb.STAGE_COMPARE
    assert verdict.mismatch.mismatched > 100
    assert verdict.mismatch.total == 33 * 65
    assert len(verdict.mismatch.first_bad_index) == 2
    assert "expected" in verdict.feedback


def test_does_not_compile(verifier: Verifier) -> None:
    verdict = verifier.verdict(good("int i =", "int i :="))
    assert code(verdict) == "COMPILE_ERROR"
    assert verdict.stage == pb.STAGE_COMPILE
    assert verdict.diagnostics[0].file == "submission.cu"
    assert verdict.diagnostics[0].line == 4
    assert "line 4" in verdict.feedback and "int i :=" in verdict.feedback


def test_out_of_bounds(verifier: Verifier) -> None:
    verdict = verifier.verdict(NO_BOUNDS_CHECK)
    assert code(verdict) == "ILLEGAL_MEMORY_ACCESS"
    assert verdict.fault.kernel == "add_relu"
    assert verdict.fault.line == 5
    assert verdict.fault.thread.x == 33 * 65 % 128
    assert "line 5" in verdict.feedback


def test_hangs(verifier: Verifier) -> None:
    start = time.monotonic()
    verdict = verifier.verdict(HANGS, timeout=3.0)
    assert code(verdict) == "TIMEOUT"
    assert time.monotonic() - start < 10


@pytest.mark.parametrize(
    ("replace", "by", "expected"),
    [
        ("o[i] = fmaxf", "if (blockIdx.x == 0) o[i] = fmaxf", "NON_FINITE"),  # uninitialised
        ("return o;", "return o.view({-1});", "WRONG_SHAPE"),
        ("return o;", "return o.to(torch::kFloat64);", "WRONG_DTYPE"),
        ("(n + 127) / 128, 128", "1, 4096", "BAD_LAUNCH"),
        ("add_relu<<<", "if (n < 0) add_relu<<<", "NO_KERNEL_LAUNCHED"),
        ("return o;", "x.zero_(); return o;", "INPUT_MUTATED"),
        ("return o;", 'TORCH_CHECK(false, "no"); return o;', "RUNTIME_ERROR"),
    ],
)
def test_other_failures(verifier: Verifier, replace: str, by: str, expected: str) -> None:
    assert code(verifier.verdict(good(replace, by))) == expected


def test_no_code(verifier: Verifier) -> None:
    assert code(verifier.verdict("I cannot do that.")) == "NO_CODE"


def test_order_dependence_is_nondeterministic(verifier: Verifier) -> None:
    # Each block reads what the block before it wrote: right only in one order.
    source = """
#include <torch/extension.h>
__global__ void scan(const float* x, float* o, int n) {
  int i = blockIdx.x;
  o[i] = x[i] + (i > 0 ? o[i - 1] : 0.f);
}
torch::Tensor forward(torch::Tensor x) {
  auto o = torch::zeros_like(x);
  scan<<<x.numel(), 1>>>(x.data_ptr<float>(), o.data_ptr<float>(), x.numel());
  return o;
}
"""
    task = """
import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return torch.cumsum(x, 0)
def get_inputs():
    return [torch.rand(40)]
def get_init_inputs():
    return []
"""
    assert code(verifier.verdict(source, task=task)) in ("NONDETERMINISTIC", "DATA_RACE")


def test_kernelbench_format(verifier: Verifier) -> None:
    assert code(verifier.verdict(kernelbench(), format_=KB)) == "PASSED"


def test_kernelbench_compile_error(verifier: Verifier) -> None:
    verdict = verifier.verdict(kernelbench("syntax error"), format_=KB)
    assert code(verdict) == "COMPILE_ERROR"
    assert verdict.diagnostics[0].message.endswith(": syntax error")
    assert "syntax error" in verdict.feedback


def test_kernelbench_sees_a_cuda_device(verifier: Verifier) -> None:
    forward = """
        assert torch.cuda.is_available() and torch.cuda.device_count() == 1
        assert x.is_cuda and x.device == torch.device("cuda", 0) and not x.cpu().is_cuda
        assert (x + y).is_cuda and torch.zeros(2, device="cuda").is_cuda
        assert not torch.zeros(2).is_cuda and torch.zeros(2).to(x.device).is_cuda
        assert torch.empty_like(x).is_cuda and x.new_zeros(3).is_cuda
        try:
            torch.zeros(2) + torch.zeros(2, device="cuda")
            raise AssertionError("devices mixed")
        except RuntimeError as error:
            assert "same device" in str(error)
        with torch.cuda.stream(torch.cuda.Stream()):
            start = torch.cuda.Event(enable_timing=True)
            start.record()
        torch.cuda.synchronize()
        return module.forward(x, y)
"""
    verdict = verifier.verdict(kernelbench(forward=forward.strip()), format_=KB)
    assert code(verdict) == "PASSED", verdict.message


WEIGHTED = """
import torch

class Model(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.randn(n))

    def forward(self, x):
        return x * self.scale

def get_inputs():
    return [torch.randn(7, 33)]

def get_init_inputs():
    return [33]
"""

SCALE = """
__global__ void scale(const float* x, const float* s, float* o, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = x[i] * s[i % m];
}
torch::Tensor forward(torch::Tensor x, torch::Tensor s) {
  auto o = torch::empty_like(x);
  int n = x.numel();
  scale<<<(n + 63) / 64, 64>>>(
      x.data_ptr<float>(), s.data_ptr<float>(), o.data_ptr<float>(), n, s.numel());
  return o;
}
"""


def test_cuda_format_gets_the_weights_after_the_inputs(verifier: Verifier) -> None:
    source = "#include <torch/extension.h>\n" + SCALE
    assert code(verifier.verdict(source, task=WEIGHTED)) == "PASSED"


def weighted(name: str, init: str) -> str:
    return f'''
import torch
from torch.utils.cpp_extension import load_inline
module = load_inline(
    name="scale",
    cpp_sources="torch::Tensor forward(torch::Tensor x, torch::Tensor s);",
    cuda_sources="""{SCALE}""",
    functions=["forward"],
)
class ModelNew(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.{name} = torch.nn.Parameter({init})
    def forward(self, x):
        return module.forward(x, self.{name})
'''


def test_weights_are_copied_where_names_and_shapes_match(verifier: Verifier) -> None:
    source = weighted("scale", "torch.zeros(n)")
    assert code(verifier.verdict(source, task=WEIGHTED, format_=KB)) == "PASSED"


def test_weights_are_made_under_the_same_seed(verifier: Verifier) -> None:
    verdict = verifier.verdict(weighted("weight", "torch.randn(n)"), task=WEIGHTED, format_=KB)
    assert code(verdict) == "PASSED"
    assert any("keeps its own weights" in note for note in verdict.notes)


def test_other_weights_are_wrong_and_noted(verifier: Verifier) -> None:
    verdict = verifier.verdict(weighted("weight", "torch.ones(n)"), task=WEIGHTED, format_=KB)
    assert code(verdict) == "WRONG_VALUES"
    assert any("keeps its own weights" in note for note in verdict.notes)


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        ("x = 1", "defines no class Model"),
        ("raise ValueError('boom')", "boom"),
        ("def (", "not valid Python"),
        ("import sys; sys.exit(0)", "SystemExit"),
        ("import os; os._exit(3)", "ended its process"),
    ],
)
def test_a_broken_task_is_nobodys_failure(verifier: Verifier, task: str, reason: str) -> None:
    verdict = verifier.verdict(good(), task=task)
    assert code(verdict) == "TASK_INVALID"
    assert verdict.outcome == pb.OUTCOME_INFRA_ERROR
    assert not verdict.retryable
    assert reason in verdict.message


def test_timing_needs_a_gpu(verifier: Verifier) -> None:
    assert code(verifier.verdict(good(), checks=pb.CHECKS_TIMING)) == "NO_MATCHING_HARDWARE"


def test_torchs_own_work_is_noted(verifier: Verifier) -> None:
    verdict = verifier.verdict(good("return o;", "return o + 0 * x;"))
    assert code(verdict) == "PASSED", verdict
    assert any("torch's own operations: " in note and "mul" in note for note in verdict.notes)
    assert not verifier.verdict(good()).notes
