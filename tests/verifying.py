"""Tasks, submissions and a running verifier for tests that go through the whole of it."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import uuid
from collections.abc import Iterator, Sequence

from protos.leap.verifier.v1 import verifier_pb2 as pb
from protos.leap.verifier.v1.client import VerifierClient

#: relu(x + y) on [33, 65]: sizes that no block size divides.
TASK = """
import torch

class Model(torch.nn.Module):
    def forward(self, x, y):
        return torch.relu(x + y)

def get_inputs():
    return [torch.randn(33, 65), torch.randn(33, 65)]

def get_init_inputs():
    return []
"""

GOOD = """
#include <torch/extension.h>
__global__ void add_relu(const float* x, const float* y, float* o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = fmaxf(x[i] + y[i], 0.f);
}
torch::Tensor forward(torch::Tensor x, torch::Tensor y) {
  auto o = torch::empty_like(x);
  int n = x.numel();
  add_relu<<<(n + 127) / 128, 128>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), o.data_ptr<float>(), n);
  return o;
}
"""


def good(replace: str = "", by: str = "") -> str:
    """The right kernel with one thing replaced."""
    assert replace in GOOD
    return GOOD.replace(replace, by) if replace else GOOD


def unique(source: str) -> str:
    """The same program under a text of its own, so that no verdict of it is kept."""
    return source + f"\n// {uuid.uuid4().hex}\n"


def kernelbench(cuda_body: str = "", python: str = "", forward: str = "") -> str:
    """A KernelBench submission around the right kernel."""
    cuda = GOOD[GOOD.index("__global__") :] + cuda_body
    body = forward or "return module.forward(x, y)"
    return f'''
import torch
from torch.utils.cpp_extension import load_inline

{python}
module = load_inline(
    name="add_relu",
    cpp_sources="torch::Tensor forward(torch::Tensor x, torch::Tensor y);",
    cuda_sources="""{cuda}""",
    functions=["forward"],
)

class ModelNew(torch.nn.Module):
    def forward(self, x, y):
        {body}
'''


def request(
    source: str,
    *,
    task: str | pb.Task = TASK,
    format_: pb.SubmissionFormat.ValueType = pb.SUBMISSION_FORMAT_CUDA,
    timeout: float = 30.0,
    target: pb.Target.ValueType = pb.TARGET_CPU,
    input_sets: Sequence[pb.InputSet] = (),
    **fields: object,
) -> pb.VerifyRequest:
    """A request of one submission."""
    message = pb.VerifyRequest(
        task=(
            task
            if isinstance(task, pb.Task)
            else pb.Task(id="add_relu", reference=task, input_sets=input_sets)
        ),
        submissions=[pb.Submission(format=format_, source=source)],
        target=target,
        **fields,  # type: ignore[arg-type]
    )
    message.timeout.FromNanoseconds(int(timeout * 1e9))
    return message


def code(verdict: pb.Verdict) -> str:
    """ "PASSED", or the failure code without its prefix."""
    if verdict.outcome == pb.OUTCOME_PASSED:
        return "PASSED"
    return pb.Code.Name(verdict.code).removeprefix("CODE_")


class Verifier:
    """A verifier that runs as a process of its own."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self.process = process
        self.address = address

    def verdict(self, source: str, **options: object) -> pb.Verdict:
        """The verdict on one submission, for the cpu target unless options say otherwise."""
        sent = request(source, **options)  # type: ignore[arg-type]
        return VerifierClient(self.address, max_retries=0).verify_sync(sent).verdicts[0]


@contextlib.contextmanager
def running_verifier(*options: str) -> Iterator[Verifier]:
    """Starts `leap-verifier serve` on a free port; ends it by SIGTERM."""
    command = [sys.executable, "-m", "verifier_gpu.cli", "serve", "--port", "0"]
    if "--target" not in options:
        command += ["--target", "cpu"]
    process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        assert line.startswith("leap-verifier listening on "), line
        yield Verifier(process, line.split()[-1])
    finally:
        process.terminate()
        process.wait(60)
        process.stdout.close()
