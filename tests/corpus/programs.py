"""Random small kernels, each with a torch program that computes the same.

A program is a row of statements over values that every thread holds: loads at computed
indices, integer and float arithmetic, branches, loops, exchanges through shared memory,
block reductions, shuffles, votes and atomics. Each statement is written twice, as CUDA
for one thread and as torch for the vector of all threads, so that the torch text is an
oracle that shares nothing with either target. Branches and indices depend only on what
is exact (integers, loaded inputs), so that rounding changes no path.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Literal

from protos.leap.verifier.v1 import verifier_pb2 as pb

Kind = Literal["int", "float"]

_SOURCE = """#include <torch/extension.h>
#include <vector>

__global__ void program(const float* x, const int* k, float* y, int* z, int* h, int n) {{
  const int t = threadIdx.x, b = blockIdx.x, i = b * {block} + t;
{body}
  if (i < n) y[i] = {float_result};
  if (i < n) z[i] = {int_result};
}}

std::vector<torch::Tensor> forward(torch::Tensor x, torch::Tensor k) {{
  const int n = x.size(0);
  auto y = torch::empty_like(x);
  auto z = torch::empty_like(k);
  auto h = torch::zeros({{{bins}}}, k.options());
  program<<<(n + {last}) / {block}, {block}>>>(x.data_ptr<float>(), k.data_ptr<int>(),
      y.data_ptr<float>(), z.data_ptr<int>(), h.data_ptr<int>(), n);
  return {{y, z, h}};
}}
"""

_TASK = """import torch

def index(value, size):
    return (value.long() & 0xFFFFFFFF) % size

class Model(torch.nn.Module):
    def forward(self, x, k):
        n = x.shape[0]
        blocks = (n + {last}) // {block}
        i = torch.arange(blocks * {block}, dtype=torch.int32, device=x.device)
        t, b = i % {block}, i // {block}
        h = torch.zeros({bins}, dtype=torch.int32, device=x.device)
        zero, none = torch.zeros_like(i), torch.zeros(i.shape, dtype=x.dtype, device=x.device)
{body}
        return [({float_result})[:n], ({int_result})[:n].int(), h]

def get_inputs():
    return [torch.randn({n}), torch.randint(-1000, 1000, ({n},), dtype=torch.int32)]

def get_init_inputs():
    return []
"""


_NEEDED = "__syncthreads();  // each thread reads what another one wrote"


@dataclass(frozen=True)
class Text:
    """One expression in both languages."""

    cuda: str
    torch: str


@dataclass(frozen=True)
class Program:
    """A task, the kernel that solves it, and kernels that a strict judge must refuse."""

    seed: int
    task: pb.Task
    source: str
    wrong: tuple[str, ...]


@dataclass
class _Writer:
    rng: random.Random
    block: int
    bins: int
    cuda: list[str] = field(default_factory=list)
    torch: list[str] = field(default_factory=list)
    values: dict[Kind, list[str]] = field(default_factory=lambda: {"int": [], "float": []})
    names: int = 0

    def name(self, prefix: str) -> str:
        self.names += 1
        return f"{prefix}{self.names}"

    # ---- Expressions

    def index(self, size: str) -> Text:
        """An index below `size`, from any integer."""
        value = self.expression("int", 1)
        return Text(f"(unsigned)({value.cuda}) % {size}", f"index({value.torch}, {size})")

    def leaf(self, kind: Kind) -> Text:
        known = self.values[kind]
        if known and self.rng.random() < 0.5:
            name = self.rng.choice(known)
            return Text(name, name)
        if kind == "float":
            choice = self.rng.randrange(3)
            if choice == 0:
                number = self.rng.choice(["0.5", "1.25", "2", "-0.75", "3"])
                return Text(f"{float(number)}f", f"(none + {number})")
            if choice == 1:
                value = self.leaf("int")
                return Text(f"(float)(({value.cuda}) & 15)", f"(({value.torch}) & 15).to(x.dtype)")
            at = self.index("n") if self.rng.random() < 0.5 else Text("i % n", "(i % n).long()")
            return Text(f"x[{at.cuda}]", f"x[{at.torch}]")
        choice = self.rng.randrange(3)
        if choice == 0:
            return Text(str(number := self.rng.randrange(1, 100)), f"(zero + {number})")
        if choice == 1:
            return Text("k[i % n]", "k[(i % n).long()]")
        return Text(*[self.rng.choice("itb")] * 2)

    def expression(self, kind: Kind, depth: int) -> Text:
        if depth == 0 or self.rng.random() < 0.2:
            return self.leaf(kind)
        a, b = self.expression(kind, depth - 1), self.expression(kind, depth - 1)
        if kind == "float":
            forms = [
                (f"({a.cuda} + {b.cuda})", f"({a.torch} + {b.torch})"),
                (f"({a.cuda} - {b.cuda})", f"({a.torch} - {b.torch})"),
                (f"({a.cuda} * 0.25f)", f"({a.torch} * 0.25)"),
                (
                    f"({a.cuda} / (1.0f + fabsf({b.cuda})))",
                    f"({a.torch} / (1.0 + torch.abs({b.torch})))",
                ),
                (f"fmaxf({a.cuda}, {b.cuda})", f"torch.maximum({a.torch}, {b.torch})"),
                (f"fminf({a.cuda}, {b.cuda})", f"torch.minimum({a.torch}, {b.torch})"),
                (f"expf(-fabsf({a.cuda}))", f"torch.exp(-torch.abs({a.torch}))"),
                (f"tanhf({a.cuda})", f"torch.tanh({a.torch})"),
            ]
        else:
            shift = self.rng.randrange(1, 6)
            forms = [
                (
                    f"(int)((unsigned)({a.cuda}) {o} (unsigned)({b.cuda}))",
                    f"({a.torch} {o} {b.torch})",
                )
                for o in ("+", "-", "*", "&", "|", "^")
            ]
            forms += [
                (f"(({a.cuda}) >> {shift})", f"(({a.torch}) >> {shift})"),
                (f"min({a.cuda}, {b.cuda})", f"torch.minimum({a.torch}, {b.torch})"),
                (f"max({a.cuda}, {b.cuda})", f"torch.maximum({a.torch}, {b.torch})"),
                (f"__popc({a.cuda})", f"ones({a.torch})"),
            ][: 3 if depth > 1 else 4]
        return Text(*self.rng.choice(forms))

    def condition(self) -> Text:
        if self.rng.random() < 0.3:
            return Text("x[i % n] > 0.25f", "(x[(i % n).long()] > 0.25)")
        a, b = self.expression("int", 1), self.expression("int", 1)
        return Text(f"{a.cuda} < {b.cuda}", f"({a.torch} < {b.torch})")

    # ---- Statements

    def write(self, cuda: str, torch: str) -> None:
        self.cuda += cuda.splitlines()
        self.torch += torch.splitlines()

    def keep(self, kind: Kind, name: str) -> None:
        self.values[kind].append(name)

    def let(self, kind: Kind) -> None:
        name, value = self.name("v"), self.expression(kind, 3)
        self.write(f"{kind} {name} = {value.cuda};", f"{name} = {value.torch}")
        self.keep(kind, name)

    def branch(self, kind: Kind) -> None:
        name, test = self.name("v"), self.condition()
        a, b = self.expression(kind, 2), self.expression(kind, 2)
        self.write(
            f"{kind} {name} = {a.cuda};\nif ({test.cuda}) {{\n  {name} = {b.cuda};\n}}",
            f"{name} = torch.where({test.torch}, {b.torch}, {a.torch})",
        )
        self.keep(kind, name)

    def loop(self, kind: Kind) -> None:
        name, counter, trips = self.name("v"), self.name("j"), self.rng.randrange(2, 6)
        start, step = self.expression(kind, 1), self.expression(kind, 2)
        self.cuda.append(f"{kind} {name} = {start.cuda};")
        self.cuda.append(f"for (int {counter} = 0; {counter} < {trips}; ++{counter}) {{")
        self.torch.append(f"{name} = {start.torch}")
        if kind == "float":
            at = f"(unsigned)(i + {counter}) % n"
            self.cuda.append(f"  {name} = {name} * 0.5f + ({step.cuda}) * x[{at}];\n}}")
            self.torch.append(f"for {counter} in range({trips}):")
            self.torch.append(
                f"    {name} = {name} * 0.5 + ({step.torch}) * x[index(i + {counter}, n)]"
            )
        else:
            sum_ = f"(unsigned)({name}) * 3u + (unsigned)({step.cuda}) + {counter}"
            self.cuda.append(f"  {name} = (int)({sum_});\n}}")
            self.torch.append(f"for {counter} in range({trips}):")
            self.torch.append(f"    {name} = {name} * 3 + ({step.torch}) + {counter}")
        self.keep(kind, name)

    def exchange(self, kind: Kind) -> None:
        """Each thread reads what another thread of its block wrote."""
        array, name = self.name("s"), self.name("v")
        value, at = self.expression(kind, 2), self.index(str(self.block))
        self.write(
            f"__shared__ {kind} {array}[{self.block}];\n{array}[t] = {value.cuda};\n"
            f"__syncthreads();\n{kind} {name} = {array}[{at.cuda}];",
            f"{name} = ({value.torch}).view(-1, {self.block})"
            f".gather(1, ({at.torch}).view(-1, {self.block})).view(-1)",
        )
        self.keep(kind, name)

    def block_reduction(self, kind: Kind) -> None:
        array, name, half = self.name("s"), self.name("v"), self.name("d")
        value, at = self.expression(kind, 2), f"{self.block // 2}"
        if kind == "float":
            step = Text(f"fmaxf({array}[t], {array}[t + {half}])", "amax(1, keepdim=True)")
        else:
            step = Text(
                f"(int)((unsigned){array}[t] + (unsigned){array}[t + {half}])",
                "sum(1, keepdim=True).int()",
            )
        self.write(
            f"__shared__ {kind} {array}[{self.block}];\n{array}[t] = {value.cuda};\n"
            f"{_NEEDED}\n"
            f"for (int {half} = {at}; {half} > 0; {half} /= 2) {{\n"
            f"  if (t < {half}) {array}[t] = {step.cuda};\n  {_NEEDED}\n}}\n"
            f"{kind} {name} = {array}[0];",
            f"{name} = ({value.torch}).view(-1, {self.block}).{step.torch}"
            f".expand(-1, {self.block}).reshape(-1)",
        )
        self.keep(kind, name)

    def shuffle(self, kind: Kind) -> None:
        name, value, lanes = self.name("v"), self.expression(kind, 2), self.rng.randrange(1, 32)
        form = self.rng.choice(["xor", "down", "up"])
        source = {
            "xor": f"lane ^ {lanes}",
            "down": f"torch.where(lane + {lanes} < 32, lane + {lanes}, lane)",
            "up": f"torch.where(lane >= {lanes}, lane - {lanes}, lane)",
        }[form]
        self.write(
            f"{kind} {name} = __shfl_{form}_sync(0xffffffffu, {value.cuda}, {lanes});",
            f"lane = (i % 32).long()\n"
            f"{name} = ({value.torch}).view(-1, 32).gather(1, ({source}).view(-1, 32)).view(-1)",
        )
        self.keep(kind, name)

    def vote(self, kind: Kind) -> None:
        name, test = self.name("v"), self.condition()
        self.write(
            f"int {name} = __popc(__ballot_sync(0xffffffffu, {test.cuda}));",
            f"{name} = ({test.torch}).view(-1, 32).sum(1, keepdim=True).int()"
            f".expand(-1, 32).reshape(-1)",
        )
        self.keep("int", name)

    def histogram(self, kind: Kind) -> None:
        at, value = self.index(str(self.bins)), self.expression("int", 1)
        self.write(
            f"atomicAdd(&h[{at.cuda}], ({value.cuda}) & 7);",
            f"h = h.index_add(0, {at.torch}, ({value.torch}) & 7)",
        )

    def block_histogram(self, kind: Kind) -> None:
        array, name = self.name("s"), self.name("v")
        at, read = self.index("16"), self.index("16")
        self.write(
            f"__shared__ int {array}[16];\nif (t < 16) {array}[t] = 0;\n__syncthreads();\n"
            f"atomicAdd(&{array}[{at.cuda}], 1);\n__syncthreads();\n"
            f"int {name} = {array}[{read.cuda}];",
            f"{name} = torch.nn.functional.one_hot({at.torch}, 16).view(-1, {self.block}, 16)"
            f".sum(1).gather(1, ({read.torch}).view(-1, {self.block})).view(-1).int()",
        )
        self.keep("int", name)


def generate(seed: int) -> Program:
    """The program of a seed."""
    rng = random.Random(seed)
    block = rng.choice([32, 64, 128])
    writer = _Writer(rng, block, bins=rng.choice([5, 17, 40]))
    statements = [
        writer.let, writer.branch, writer.loop, writer.exchange, writer.block_reduction,
        writer.shuffle, writer.vote, writer.histogram, writer.block_histogram,
    ]  # fmt: skip
    for _ in range(rng.randrange(3, 9)):
        rng.choice(statements)(rng.choice(["int", "float"]))
    results = {kind: writer.expression(kind, 2) for kind in ("float", "int")}
    numbers = {"block": block, "last": block - 1, "bins": writer.bins}
    source = _SOURCE.format(
        body="\n".join("  " + line for line in writer.cuda),
        float_result=results["float"].cuda,
        int_result=results["int"].cuda,
        **numbers,
    )
    reference = _TASK.format(
        body="\n".join("        " + line for line in writer.torch),
        float_result=results["float"].torch,
        int_result=results["int"].torch,
        n=rng.randrange(2, 6) * block - rng.randrange(1, block),
        **numbers,
    )
    reference = reference.replace("def index(", _ONES + "def index(")
    task = pb.Task(id=f"program-{seed}", reference=reference)
    return Program(seed, task, source, tuple(_wrong(source)))


_ONES = """def ones(value):
    return sum((value.long() >> bit) & 1 for bit in range(32)).int()

"""


def _wrong(source: str) -> list[str]:
    """The source without a barrier of a reduction, or without the bounds check of a store.

    Other barriers may be needless: an index may lead each thread to its own element.
    """
    lines = source.splitlines()
    wrong = []
    for number, line in enumerate(lines):
        if line.endswith(_NEEDED):
            changed = ""
        elif line.startswith("  if (i < n) "):
            changed = line.replace("if (i < n) ", "")
        else:
            continue
        wrong.append("\n".join([*lines[:number], changed, *lines[number + 1 :]]))
    return wrong
