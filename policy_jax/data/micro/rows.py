"""Families with one block a row: reductions in shared memory, normalisations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from policy_jax.data.micro.family import Combo, Family, fill
from policy_jax.data.micro.operators import Array

WIDE = ("torch.randn(17, 150)", "torch.randn(23, 131)", "torch.randn(9, 260)")
WIDE_PAIR = tuple(f"{each}, {each}" for each in WIDE)
LARGE = "torch.randn(4099, 4097)"


@dataclass(frozen=True)
class Reduction:
    """A way to fold values into ``a``: its identity, its step, what ends it.

    ``combine`` names the block reduction; ``finish`` is a line on the result ``v``.
    """

    torch: str
    identity: str
    step: str
    combine: str
    numpy: Callable[[Array], Array]
    finish: str = ""


REDUCTIONS = {
    "sum": Reduction("x = torch.sum(x, dim=1)", "0.f", "a = a + v;", "sum", lambda x: x.sum(1)),
    "mean": Reduction(
        "x = torch.mean(x, dim=1)", "0.f", "a = a + v;", "sum", lambda x: x.mean(1), "v = v / cols;"
    ),
    "max": Reduction(
        "x = torch.amax(x, dim=1)", "-INFINITY", "a = fmaxf(a, v);", "max", lambda x: x.max(1)
    ),
    "min": Reduction(
        "x = torch.amin(x, dim=1)", "INFINITY", "a = fminf(a, v);", "min", lambda x: x.min(1)
    ),
    "norm": Reduction(
        "x = torch.linalg.vector_norm(x, dim=1)",
        "0.f",
        "a = a + v * v;",
        "sum",
        lambda x: np.sqrt((x * x).sum(1)),
        "v = sqrtf(v);",
    ),
}
COMBINE = {"sum": "s[t] + s[t + k]", "max": "fmaxf(s[t], s[t + k])", "min": "fminf(s[t], s[t + k])"}


def block_reduction(name: str) -> str:
    """A device function that folds one value a thread over a block of 128."""
    return f"""\
__device__ float block_{name}(float a, float* s) {{
  int t = threadIdx.x;
  s[t] = a;
  __syncthreads();
  for (int k = 64; k > 0; k /= 2) {{
    if (t < k) s[t] = {COMBINE[name]};
    __syncthreads();
  }}
  a = s[0];
  __syncthreads();
  return a;
}}

"""


def _reduce(combo: Combo) -> str:
    reduction = REDUCTIONS[combo.kind]
    finish = f"    {reduction.finish}\n" if reduction.finish else ""
    return block_reduction(reduction.combine) + fill(
        """\
__global__ void kernel($params, float* y, int cols) {
  __shared__ float s[128];
  int r = blockIdx.x, t = threadIdx.x;
  float a = $identity;
  for (int c = t; c < cols; c += 128) {
    int i = r * cols + c;
    float v = $load;
    $step
  }
  float v = block_$combine(a, s);
  if (t == 0) {
${finish}    y[r] = $store;
  }
}

torch::Tensor forward($tensors) {
  int rows = x.size(0), cols = x.size(1);
  torch::Tensor y = torch::empty({rows}, x.options());
  kernel<<<rows, 128>>>(
      $pointers, y.data_ptr<float>(), cols);
  return y;
}
""",
        combo,
        identity=reduction.identity,
        step=reduction.step,
        combine=reduction.combine,
        finish=finish,
    )


ROW_FORWARD = """\
torch::Tensor forward($tensors) {
  int rows = x.size(0), cols = x.size(1);
  torch::Tensor y = torch::empty_like(x);
  kernel<<<rows, 128>>>(
      $pointers, y.data_ptr<float>(), cols);
  return y;
}
"""

LOOP = """\
  for (int c = t; c < cols; c += 128) {
    int i = r * cols + c;
    float v = $load;
"""

ROW_HEAD = """\
__global__ void kernel($params, float* y, int cols) {
  __shared__ float s[128];
  int r = blockIdx.x, t = threadIdx.x;
"""


def _softmax(combo: Combo) -> str:
    template = f"""\
{ROW_HEAD}  float m = -INFINITY;
{LOOP}    m = fmaxf(m, v);
  }}
  m = block_max(m, s);
  float a = 0.f;
{LOOP}    a = a + expf(v - m);
  }}
  a = block_sum(a, s);
{LOOP}    y[i] = expf(v - m) / a;
  }}
}}

{ROW_FORWARD}"""
    return block_reduction("max") + block_reduction("sum") + fill(template, combo)


def _centred(combo: Combo) -> str:
    """Subtract or divide by one statistic of the row."""
    fold, step, out = {
        "mean": ("sum", "a = a + v;", "v = v - a / cols;"),
        "rms": ("sum", "a = a + v * v;", "v = v * rsqrtf(a / cols + 1e-5f);"),
        "peak": ("max", "a = fmaxf(a, fabsf(v));", "v = v / a;"),
    }[combo.kind]
    template = f"""\
{ROW_HEAD}  float a = 0.f;
{LOOP}    $step
  }}
  a = block_$fold(a, s);
{LOOP}    $out
    y[i] = $store;
  }}
}}

{ROW_FORWARD}"""
    return block_reduction(fold) + fill(template, combo, fold=fold, step=step, out=out)


def _layer_norm(combo: Combo) -> str:
    template = f"""\
{ROW_HEAD}  float a = 0.f;
{LOOP}    a = a + v;
  }}
  float m = block_sum(a, s) / cols;
  a = 0.f;
{LOOP}    a = a + (v - m) * (v - m);
  }}
  a = rsqrtf(block_sum(a, s) / cols + 1e-5f);
{LOOP}    v = (v - m) * a;
    y[i] = $store;
  }}
}}

{ROW_FORWARD}"""
    return block_reduction("sum") + fill(template, combo)


def _numpy_softmax(x: Array) -> Array:
    """Times the row's length, so that it is of the order of one."""
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.mean(1, keepdims=True)


KINDS = {name: (reduction.torch,) for name, reduction in REDUCTIONS.items()}
SHARED = frozenset({"shared"})
SHARED_PAIR = frozenset({"shared", "two_inputs"})
PAIR = ("x", "z")
FOLDS = {name: reduction.numpy for name, reduction in REDUCTIONS.items()}
RMS = "x = x * torch.rsqrt(torch.mean(x * x, dim=1, keepdim=True) + 1e-5)"
PEAK = "x = x / torch.amax(torch.abs(x), dim=1, keepdim=True)"

LAYER_NORM = {"": ("x = torch.nn.functional.layer_norm(x, x.shape[1:])",)}
LAYER_NORM_FOLD = {"": lambda x: (x - x.mean(1, keepdims=True)) / (x.std(1, keepdims=True) + 1e-5)}

FAMILIES = (
    Family("reduce", 1, _reduce, WIDE, LARGE, kinds=KINDS, folds=FOLDS, features=SHARED),
    Family(
        "map_reduce",
        2,
        _reduce,
        WIDE,
        LARGE,
        kinds=KINDS,
        folds=FOLDS,
        before=("u", "uu"),
        features=SHARED,
    ),
    Family(
        "reduce_map",
        2,
        _reduce,
        WIDE,
        LARGE,
        kinds=KINDS,
        folds=FOLDS,
        after=("u", "uu"),
        features=SHARED,
    ),
    Family(
        "map_reduce_map",
        2,
        _reduce,
        WIDE,
        LARGE,
        kinds=KINDS,
        folds=FOLDS,
        before=("u",),
        after=("u",),
        features=SHARED,
    ),
    Family(
        "pair_reduce",
        2,
        _reduce,
        WIDE_PAIR,
        f"{LARGE}, {LARGE}",
        kinds=KINDS,
        folds=FOLDS,
        before=("b", "bu"),
        arguments=PAIR,
        features=SHARED_PAIR,
    ),
    Family(
        "softmax",
        3,
        _softmax,
        WIDE,
        LARGE,
        kinds={"": ("x = torch.softmax(x, dim=1)",)},
        folds={"": _numpy_softmax},
        before=("u", "uu"),
        features=SHARED,
    ),
    Family(
        "pair_softmax",
        3,
        _softmax,
        WIDE_PAIR,
        f"{LARGE}, {LARGE}",
        kinds={"": ("x = torch.softmax(x, dim=1)",)},
        folds={"": _numpy_softmax},
        before=("b", "ub"),
        binaries=("mask", "add", "mul"),
        arguments=PAIR,
        features=SHARED_PAIR,
    ),
    Family(
        "pair_norm",
        3,
        _layer_norm,
        WIDE_PAIR,
        f"{LARGE}, {LARGE}",
        kinds=LAYER_NORM,
        folds=LAYER_NORM_FOLD,
        before=("b", "ub"),
        after=("", "u"),
        arguments=PAIR,
        features=SHARED_PAIR,
    ),
    Family(
        "row_scale",
        2,
        _centred,
        WIDE,
        LARGE,
        kinds={
            "mean": ("x = x - torch.mean(x, dim=1, keepdim=True)",),
            "rms": (RMS,),
            "peak": (PEAK,),
        },
        folds={
            "mean": lambda x: x - x.mean(1, keepdims=True),
            "rms": lambda x: x / np.sqrt((x * x).mean(1, keepdims=True)),
            "peak": lambda x: x / np.abs(x).max(1, keepdims=True),
        },
        before=("", "u"),
        after=("u", ""),
        features=SHARED,
    ),
    Family(
        "layer_norm",
        3,
        _layer_norm,
        WIDE,
        LARGE,
        kinds=LAYER_NORM,
        folds=LAYER_NORM_FOLD,
        before=("", "u"),
        after=("u", "uu"),
        features=SHARED,
    ),
)
