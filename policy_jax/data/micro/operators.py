"""The elementwise operators that leap-micro combines.

Each is one line of PyTorch and one line of CUDA, so that a fused chain is those
lines in order. A float named ``v`` carries the value; ``w`` is the second input.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class Operator:
    """``torch`` and ``cuda`` are the two lines, ``numpy`` the same on arrays."""

    name: str
    torch: str
    cuda: str
    numpy: Callable[..., Array]


def _mask(x: Array, z: Array) -> Array:
    return np.where(z > 0, x, -1e9)


UNARY = {
    op.name: op
    for op in (
        Operator("relu", "x = torch.relu(x)", "v = fmaxf(v, 0.f);", lambda x: np.maximum(x, 0)),
        Operator(
            "sigmoid",
            "x = torch.sigmoid(x)",
            "v = 1.f / (1.f + expf(-v));",
            lambda x: 1 / (1 + np.exp(-x)),
        ),
        Operator("tanh", "x = torch.tanh(x)", "v = tanhf(v);", np.tanh),
        Operator("abs", "x = torch.abs(x)", "v = fabsf(v);", np.abs),
        Operator("square", "x = x * x", "v = v * v;", np.square),
        Operator("half", "x = x * 0.5", "v = v * 0.5f;", lambda x: x * 0.5),
        Operator("inc", "x = x + 1.0", "v = v + 1.f;", lambda x: x + 1),
        Operator("sin", "x = torch.sin(x)", "v = sinf(v);", np.sin),
        Operator("cos", "x = torch.cos(x)", "v = cosf(v);", np.cos),
        Operator(
            "decay",
            "x = torch.exp(-torch.abs(x))",
            "v = expf(-fabsf(v));",
            lambda x: np.exp(-np.abs(x)),
        ),
        Operator(
            "clamp",
            "x = torch.clamp(x, -1.0, 1.0)",
            "v = fminf(fmaxf(v, -1.f), 1.f);",
            lambda x: np.clip(x, -1, 1),
        ),
        Operator(
            "silu",
            "x = x * torch.sigmoid(x)",
            "v = v / (1.f + expf(-v));",
            lambda x: x / (1 + np.exp(-x)),
        ),
    )
}

BINARY = {
    op.name: op
    for op in (
        Operator("add", "x = x + z", "v = v + w;", np.add),
        Operator("sub", "x = x - z", "v = v - w;", np.subtract),
        Operator("mul", "x = x * z", "v = v * w;", np.multiply),
        Operator("max", "x = torch.maximum(x, z)", "v = fmaxf(v, w);", np.maximum),
        Operator("min", "x = torch.minimum(x, z)", "v = fminf(v, w);", np.minimum),
        Operator(
            "gate",
            "x = x * torch.sigmoid(z)",
            "v = v / (1.f + expf(-w));",
            lambda x, z: x / (1 + np.exp(-z)),
        ),
        Operator(
            "mask",
            "x = torch.where(z > 0.0, x, -1e9)",
            "v = w > 0.f ? v : -1e9f;",
            _mask,
        ),
    )
}


def operator(name: str) -> Operator:
    """The operator of that name, unary or binary."""
    return UNARY[name] if name in UNARY else BINARY[name]


def apply(names: Sequence[str], x: Array, z: Array) -> Array:
    """The value of a chain on ``x``, with ``z`` as the second input."""
    for name in names:
        x = operator(name).numpy(x, z) if name in BINARY else operator(name).numpy(x)
    return x
