"""The verdicts of test_verdicts.py on a real GPU, and timing."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from protos.leap.verifier.v1 import verifier_pb2 as pb
from tests.integration.test_verdicts import HANGS, SCALE, WEIGHTED, weighted
from tests.verifying import Verifier, code, good, kernelbench, running_verifier, unique

pytestmark = pytest.mark.gpu
KB = pb.SUBMISSION_FORMAT_KERNELBENCH

#: Sizes at which a GPU has something to do; the check stays small.
TIMED_TASK = """
import torch

class Model(torch.nn.Module):
    def forward(self, x, y):
        return torch.relu(x + y)

def get_inputs():
    return [torch.randn(33, 65), torch.randn(33, 65)]

def get_large_inputs():
    return [torch.randn(4096, 4096), torch.randn(4096, 4096)]

def get_init_inputs():
    return []
"""


@pytest.fixture(scope="module")
def gpu() -> Iterator[Verifier]:
    with running_verifier("--target", "cuda") as running:
        yield running


def verdict(gpu: Verifier, source: str, **options: object) -> pb.Verdict:
    return gpu.verdict(source, target=pb.TARGET_CUDA, **options)


@pytest.mark.parametrize(
    ("replace", "by", "expected"),
    [
        ("", "", "PASSED"),
        ("x[i] + y[i]", "x[i] - y[i]", "WRONG_VALUES"),
        ("int i =", "int i :=", "COMPILE_ERROR"),
        ("o[i] = fmaxf", "o[i + (1 << 28)] = fmaxf", "ILLEGAL_MEMORY_ACCESS"),
        ("return o;", "return o.view({-1});", "WRONG_SHAPE"),
        ("(n + 127) / 128, 128", "1, 4096", "BAD_LAUNCH"),
        ("return o;", "x.zero_(); return o;", "INPUT_MUTATED"),
        ("return o;", 'TORCH_CHECK(false, "no"); return o;', "RUNTIME_ERROR"),
    ],
)
def test_verdicts(gpu: Verifier, replace: str, by: str, expected: str) -> None:
    found = verdict(gpu, good(replace, by))
    assert code(found) == expected, found
    assert found.provenance.target == pb.TARGET_CUDA and found.provenance.gpu


def test_a_hanging_kernel_is_killed_and_the_next_is_judged(gpu: Verifier) -> None:
    assert code(verdict(gpu, HANGS, timeout=5.0)) == "TIMEOUT"
    assert code(verdict(gpu, unique(good()))) == "PASSED"


def test_kernelbench(gpu: Verifier) -> None:
    assert code(verdict(gpu, kernelbench(), format_=KB)) == "PASSED"
    fallback = kernelbench(forward="return torch.relu(x + y)").replace("module =", "unused = 0 and")
    assert code(verdict(gpu, fallback, format_=KB)) == "NO_KERNEL_LAUNCHED"


def test_weights(gpu: Verifier) -> None:
    source = "#include <torch/extension.h>\n" + SCALE
    assert code(verdict(gpu, source, task=WEIGHTED)) == "PASSED"
    matching = weighted("scale", "torch.zeros(n)")
    assert code(verdict(gpu, matching, task=WEIGHTED, format_=KB)) == "PASSED"


@pytest.mark.parametrize("sets", [False, True])
def test_timing(gpu: Verifier, sets: bool) -> None:
    sent = {"checks": pb.CHECKS_TIMING, "task": TIMED_TASK}
    if sets:
        large = pb.InputSet(name="timing", inputs_function="get_large_inputs")
        sent["input_sets"] = [pb.InputSet(name="check"), large]
    found = verdict(gpu, unique(good()), timeout=60.0, **sent)
    assert code(found) == "PASSED", found
    timing = found.timing
    assert timing.interval_low_ms <= timing.median_ms <= timing.interval_high_ms
    assert timing.trials >= 30 and timing.speedup > 0.5
    if sets:  # 201 MB moved at no more than 10 TB/s
        assert timing.median_ms > 0.02


def test_forged_times(gpu: Verifier) -> None:
    """A timer patched inside the candidate's process contradicts the wall clock."""
    forward = """
        import time
        torch.cuda.Event.elapsed_time = lambda self, end: 1e-3
        time.perf_counter = lambda: 0.0
        time.sleep(0.1)
        return module.forward(x, y)
"""
    source = kernelbench(forward=forward.strip())
    found = verdict(gpu, source, format_=KB, checks=pb.CHECKS_TIMING, timeout=60.0)
    assert code(found) == "REWARD_HACK"
