"""Eight tasks with a right kernel each, in KernelBench form, in as many texts as are asked for.

The kernels are what models write at level 1 and 2: elementwise chains, reductions with
barriers, tiles in shared memory, shuffles, atomics. A variant has another block size
and another text, so that nothing of it has been built before.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from protos.leap.verifier.v1 import verifier_pb2 as pb

_KERNELS = Path(__file__).parent / "kernels"


@dataclass(frozen=True)
class Kernel:
    """A task and the kernel that solves it.

    ``forward`` is the body of `Model.forward`, ``inputs`` its arguments with ``@`` for
    a size (``small`` when judged, ``large`` when timed). Its text is
    `kernels/NAME.cu`, in which BLOCK is the block size, one of ``blocks``.
    """

    name: str
    arguments: str
    forward: str
    inputs: str
    small: int
    large: int
    blocks: tuple[int, ...] = (64, 128, 256)

    def task(self) -> pb.Task:
        """The task, with inputs to judge by and, as the set "timing", larger ones."""
        small, large = (self.inputs.replace("@", str(n)) for n in (self.small, self.large))
        reference = _TASK.format(
            arguments=self.arguments, forward=self.forward, small=small, large=large
        )
        task = pb.Task(id=self.name, reference=reference)
        task.input_sets.add(name="check")
        task.input_sets.add(name="timing", inputs_function="get_timing_inputs")
        return task

    def submission(self, number: int, mark: str) -> pb.Submission:
        """Variant ``number``; texts with different marks are different texts."""
        block = self.blocks[number % len(self.blocks)]
        signature = ", ".join(f"torch::Tensor {name}" for name in self.arguments.split(", "))
        source = _SUBMISSION.format(
            arguments=self.arguments,
            signature=signature,
            cuda=(_KERNELS / f"{self.name}.cu").read_text().strip(),
            block=block,
            mark=f"// {mark} {number}",
        )
        return pb.Submission(format=pb.SUBMISSION_FORMAT_KERNELBENCH, source=source)


_TASK = """import torch

class Model(torch.nn.Module):
    def forward(self, {arguments}):
        {forward}

def get_inputs():
    return [{small}]

def get_init_inputs():
    return []

def get_timing_inputs():
    return [{large}]
"""

_SUBMISSION = '''import torch
from torch.utils.cpp_extension import load_inline

cuda_source = r"""
#include <torch/extension.h>
#include <cuda_runtime.h>
#define BLOCK {block}
{mark}
{cuda}
"""

module = load_inline(
    name="kernel",
    cpp_sources="torch::Tensor forward({signature});",
    cuda_sources=cuda_source,
    functions=["forward"],
)

class ModelNew(torch.nn.Module):
    def forward(self, {arguments}):
        return module.forward({arguments})
'''

KERNELS = (
    Kernel(
        "add_relu",
        "x, y",
        "return torch.relu(x + y)",
        "torch.randn(@, 65), torch.randn(@, 65)",
        33,
        200_001,
    ),
    Kernel(
        "gelu_scale",
        "x",
        "return 1.5 * torch.nn.functional.gelu(x)",
        "torch.randn(@)",
        2053,
        20_000_001,
    ),
    Kernel("row_norm", "x", "return x.norm(dim=1)", "torch.randn(@, 301)", 9, 40_001),
    Kernel("softmax", "x", "return x.softmax(-1)", "torch.randn(@, 77)", 21, 100_001),
    Kernel(
        "matmul",
        "a, b",
        "return a @ b",
        "torch.randn(@, 37), torch.randn(37, 29)",
        21,
        100_001,
        (8, 16, 32),
    ),
    Kernel(
        "transpose",
        "x",
        "return x.t().contiguous()",
        "torch.randn(@, 53)",
        37,
        200_001,
    ),
    Kernel("mean", "x", "return x.mean().reshape(1)", "torch.randn(@)", 2001, 20_000_001),
    Kernel(
        "smooth",
        "x",
        "w = torch.tensor([[[0.1, 0.2, 0.4, 0.2, 0.1]]], dtype=x.dtype, device=x.device)\n"
        "        return torch.nn.functional.conv1d(x[None, None], w, padding=2)[0, 0]",
        "torch.randn(@)",
        1003,
        10_000_001,
    ),
)
