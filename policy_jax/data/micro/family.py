"""What a family of leap-micro is: one structure, filled with operator chains.

A reference lists one operation a line, and the CUDA source one line an operation:
the chain that runs where a value is loaded is the device function ``f``, the chain
that runs where a result is stored is ``g``. So a new combination is a new order of
known lines inside a known structure.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from string import Template

from policy_jax.data.micro.operators import BINARY, Array, operator

FEATURES = ("shared", "atomics", "shuffle", "two_inputs", "two_outputs")


@dataclass(frozen=True)
class Combo:
    """One member of a family: its kind and the operators before and after it."""

    family: str
    kind: str = ""
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()

    @property
    def is_pair(self) -> bool:
        """Whether ``f`` takes a second value."""
        return any(name in BINARY for name in self.before)

    @property
    def key(self) -> str:
        """The combination itself, for example ``map_reduce:sum:relu-half:``."""
        return ":".join((self.family, self.kind, "-".join(self.before), "-".join(self.after)))


@dataclass(frozen=True)
class Family:
    """A structure.

    ``kinds`` maps a kind's name to its lines of the reference. ``before`` and
    ``after`` are the patterns that its chains may have: ``u`` an elementwise
    operator, ``b`` one with the second input. For `is_informative`, ``folds`` holds
    the structure in numpy by kind, on a matrix, where it matters to the chain before
    it, and ``scale`` is the spread of the numbers that reach the chains.
    ``check`` lists alternatives of the list that ``get_inputs`` returns (a few
    thousand elements, not divisible by the block), ``timing`` the large one.
    ``kernel`` writes everything after ``f`` and ``g``: the CUDA kernel and ``forward``.
    """

    name: str
    level: int
    kernel: Callable[[Combo], str]
    check: tuple[str, ...]
    timing: str
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: {"": ()})
    before: tuple[str, ...] = ("",)
    after: tuple[str, ...] = ("",)
    binaries: tuple[str, ...] = ("add", "sub", "mul", "max", "min", "gate")
    scale: float = 1.0
    folds: Mapping[str, Callable[[Array], Array]] = field(default_factory=dict)
    arguments: tuple[str, ...] = ("x",)
    features: frozenset[str] = frozenset()
    body: Callable[[Combo], tuple[str, ...]] | None = None
    returns: str = "x"

    def lines(self, combo: Combo) -> tuple[str, ...]:
        """The operations of ``forward``, one a line."""
        if self.body is not None:
            return self.body(combo)
        before = (operator(name).torch for name in combo.before)
        after = (operator(name).torch for name in combo.after)
        return (*before, *self.kinds[combo.kind], *after)

    def reference(self, combo: Combo, shape: int) -> str:
        """The task's text in KernelBench form; ``shape`` picks one of ``check``."""
        return REFERENCE.substitute(
            arguments=", ".join(self.arguments),
            body="\n".join("        " + line for line in self.lines(combo)),
            returns=self.returns,
            check=self.check[shape % len(self.check)],
            timing=self.timing,
        )

    def source(self, combo: Combo) -> str:
        """The hand-checked CUDA solution, in the plain style."""
        parts = ["#include <torch/extension.h>\n"]
        if combo.before:
            parts.append(device_function("f", combo.before))
        if combo.after:
            parts.append(device_function("g", combo.after))
        return "\n".join((*parts, self.kernel(combo)))


REFERENCE = Template("""\
import torch

class Model(torch.nn.Module):
    def forward(self, $arguments):
$body
        return $returns

def get_inputs():
    return [$check]

def get_init_inputs():
    return []

def get_timing_inputs():
    return [$timing]
""")


def device_function(name: str, operators: tuple[str, ...]) -> str:
    """``f`` or ``g``: the chain as a device function, one line an operator."""
    pair = any(each in BINARY for each in operators)
    lines = [f"  {operator(each).cuda}\n" for each in operators]
    head = f"__device__ float {name}(float v{', float w' if pair else ''}) {{\n"
    return head + "".join(lines) + "  return v;\n}\n"


def fill(template: str, combo: Combo, **values: str) -> str:
    """A kernel's template with the parts that every structure has in common.

    ``$load`` is the value at index ``i`` after ``f``; ``$params``, ``$tensors`` and
    ``$pointers`` are the kernel's, ``forward``'s and the launch's arguments before
    the output; ``$store`` turns ``v`` into the stored value.
    """
    pair = combo.is_pair
    common = {
        "load": ("f(x[i], z[i])" if pair else "f(x[i])") if combo.before else "x[i]",
        "store": "g(v)" if combo.after else "v",
        "params": "const float* x, const float* z" if pair else "const float* x",
        "tensors": "torch::Tensor x, torch::Tensor z" if pair else "torch::Tensor x",
        "pointers": "x.data_ptr<float>(), z.data_ptr<float>()" if pair else "x.data_ptr<float>()",
    }
    return Template(template).substitute(common | values)
