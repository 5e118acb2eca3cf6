"""Families that move data or look at neighbours: transposes, columns, scans, windows."""

from __future__ import annotations

import numpy as np

from policy_jax.data.micro.family import Combo, Family, fill
from policy_jax.data.micro.rows import FOLDS, REDUCTIONS

TALL = ("torch.randn(37, 53)", "torch.randn(21, 70)", "torch.randn(45, 33)")
TALL_PAIR = tuple(f"{each}, {each}" for each in TALL)
LARGE = "torch.randn(4099, 4097)"


def _transpose(combo: Combo) -> str:
    return fill(
        """\
__global__ void kernel($params, float* y, int rows, int cols) {
  __shared__ float s[16][17];
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  if (r < rows && c < cols) {
    int i = r * cols + c;
    float v = $load;
    s[threadIdx.y][threadIdx.x] = v;
  }
  __syncthreads();
  r = blockIdx.y * 16 + threadIdx.x;
  c = blockIdx.x * 16 + threadIdx.y;
  if (r < rows && c < cols) y[c * rows + r] = s[threadIdx.x][threadIdx.y];
}

torch::Tensor forward($tensors) {
  int rows = x.size(0), cols = x.size(1);
  torch::Tensor y = torch::empty({cols, rows}, x.options());
  dim3 grid((cols + 15) / 16, (rows + 15) / 16), block(16, 16);
  kernel<<<grid, block>>>(
      $pointers, y.data_ptr<float>(), rows, cols);
  return y;
}
""",
        combo,
    )


def _column_reduce(combo: Combo) -> str:
    reduction = REDUCTIONS[combo.kind]
    finish = f"    {reduction.finish}\n".replace("cols", "rows") if reduction.finish else ""
    return fill(
        """\
__global__ void kernel($params, float* y, int rows, int cols) {
  int c = blockIdx.x * 32 + threadIdx.x;
  if (c < cols) {
    float a = $identity;
    for (int r = 0; r < rows; ++r) {
      int i = r * cols + c;
      float v = $load;
      $step
    }
    float v = a;
${finish}    y[c] = $store;
  }
}

torch::Tensor forward($tensors) {
  int rows = x.size(0), cols = x.size(1);
  torch::Tensor y = torch::empty({cols}, x.options());
  kernel<<<(cols + 31) / 32, 32>>>(
      $pointers, y.data_ptr<float>(), rows, cols);
  return y;
}
""",
        combo,
        identity=reduction.identity,
        step=reduction.step,
        finish=finish,
    )


def _scan(combo: Combo) -> str:
    reduction = REDUCTIONS[combo.kind]
    return fill(
        """\
__global__ void kernel($params, float* y, int rows, int cols) {
  int r = blockIdx.x * 32 + threadIdx.x;
  if (r < rows) {
    float a = $identity;
    for (int c = 0; c < cols; ++c) {
      int i = r * cols + c;
      float v = $load;
      $step
      v = a;
      y[i] = $store;
    }
  }
}

torch::Tensor forward($tensors) {
  int rows = x.size(0), cols = x.size(1);
  torch::Tensor y = torch::empty_like(x);
  kernel<<<(rows + 31) / 32, 32>>>(
      $pointers, y.data_ptr<float>(), rows, cols);
  return y;
}
""",
        combo,
        identity=reduction.identity,
        step=reduction.step,
    )


def _reindexed(combo: Combo) -> str:
    """One thread an element of the output, whose index in the input differs."""
    width, value = {
        "flip": ("cols", "x[r * cols + cols - 1 - c]"),
        "tril": ("cols", "c <= r ? x[r * cols + c] : 0.f"),
        "roll": ("cols", "x[r * cols + (c + 1) % cols]"),
        "even": ("(cols + 1) / 2", "x[r * cols + 2 * c]"),
        "diff": ("cols - 1", "x[r * cols + c + 1] - x[r * cols + c]"),
        "max": (
            "cols - 2",
            "fmaxf(x[r * cols + c], fmaxf(x[r * cols + c + 1], x[r * cols + c + 2]))",
        ),
        "mean": ("cols - 2", "(x[r * cols + c] + x[r * cols + c + 1] + x[r * cols + c + 2]) / 3.f"),
        "glu": ("cols / 2", "x[r * cols + c] / (1.f + expf(-x[r * cols + wide + c]))"),
    }[combo.kind]
    return fill(
        """\
__global__ void kernel(const float* x, float* y, int rows, int cols, int wide) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < rows * wide) {
    int r = i / wide, c = i % wide;
    float v = $value;
    y[i] = $store;
  }
}

torch::Tensor forward(torch::Tensor x) {
  int rows = x.size(0), cols = x.size(1), wide = $width, n = rows * wide;
  torch::Tensor y = torch::empty({rows, wide}, x.options());
  kernel<<<(n + 255) / 256, 256>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), rows, cols, wide);
  return y;
}
""",
        combo,
        width=width,
        value=value,
    )


def _convolution(combo: Combo) -> str:
    return fill(
        """\
__global__ void kernel(const float* x, const float* z, float* y, int n, int taps) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    float v = 0.f;
    for (int j = 0; j < taps; ++j) v = v + x[i + j] * z[j];
    y[i] = $store;
  }
}

torch::Tensor forward(torch::Tensor x, torch::Tensor z) {
  int taps = z.size(0), n = x.size(0) - taps + 1;
  torch::Tensor y = torch::empty({n}, x.options());
  kernel<<<(n + 255) / 256, 256>>>(
      x.data_ptr<float>(), z.data_ptr<float>(), y.data_ptr<float>(), n, taps);
  return y;
}
""",
        combo,
    )


PAIR = ("x", "z")
SHARED = frozenset({"shared"})
COLUMN_KINDS = {
    name: (reduction.torch.replace("dim=1", "dim=0"),) for name, reduction in REDUCTIONS.items()
}
SCAN_KINDS = {
    "sum": ("x = torch.cumsum(x, dim=1)",),
    "max": ("x = torch.cummax(x, dim=1)[0]",),
}
SCAN_FOLDS = {"sum": lambda x: np.cumsum(x, 1), "max": lambda x: np.maximum.accumulate(x, 1)}

FAMILIES = (
    Family(
        "transpose",
        2,
        _transpose,
        TALL,
        LARGE,
        kinds={"": ("x = x.t().contiguous()",)},
        before=("u", "uu"),
        features=SHARED,
    ),
    Family(
        "pair_transpose",
        2,
        _transpose,
        TALL_PAIR,
        f"{LARGE}, {LARGE}",
        kinds={"": ("x = x.t().contiguous()",)},
        before=("b", "bu"),
        arguments=PAIR,
        features=frozenset({"shared", "two_inputs"}),
    ),
    Family(
        "column_reduce",
        2,
        _column_reduce,
        TALL,
        LARGE,
        kinds=COLUMN_KINDS,
        folds=FOLDS,
        before=("u", "uu", "", "u"),
        after=("", "u"),
    ),
    Family(
        "pair_column_reduce",
        2,
        _column_reduce,
        TALL_PAIR,
        f"{LARGE}, {LARGE}",
        kinds=COLUMN_KINDS,
        folds=FOLDS,
        before=("b", "bu"),
        arguments=PAIR,
        features=frozenset({"two_inputs"}),
    ),
    Family(
        "scan",
        2,
        _scan,
        TALL,
        LARGE,
        kinds=SCAN_KINDS,
        folds=SCAN_FOLDS,
        before=("", "u"),
        after=("", "u"),
    ),
    Family(
        "pair_scan",
        2,
        _scan,
        TALL_PAIR,
        f"{LARGE}, {LARGE}",
        kinds=SCAN_KINDS,
        folds=SCAN_FOLDS,
        before=("b", "bu"),
        arguments=PAIR,
        features=frozenset({"two_inputs"}),
    ),
    Family(
        "rearrange",
        2,
        _reindexed,
        TALL,
        LARGE,
        kinds={
            "flip": ("x = torch.flip(x, dims=[1])",),
            "roll": ("x = torch.roll(x, -1, dims=1)",),
            "tril": ("x = torch.tril(x)",),
            "even": ("x = x[:, ::2]",),
        },
        after=("u", "uu"),
    ),
    Family(
        "window",
        2,
        _reindexed,
        TALL,
        LARGE,
        kinds={
            "diff": ("x = torch.diff(x, dim=1)",),
            "max": ("x = torch.nn.functional.max_pool1d(x, 3, 1)",),
            "mean": ("x = torch.nn.functional.avg_pool1d(x, 3, 1)",),
        },
        after=("", "u"),
    ),
    Family(
        "glu",
        2,
        _reindexed,
        ("torch.randn(37, 54)", "torch.randn(21, 70)", "torch.randn(45, 34)"),
        "torch.randn(4099, 4098)",
        kinds={"glu": ("x = torch.nn.functional.glu(x, dim=1)",)},
        after=("u", "uu"),
    ),
    Family(
        "convolution",
        2,
        _convolution,
        ("torch.randn(1987), torch.randn(5)", "torch.randn(901), torch.randn(5)"),
        "torch.randn(4194301), torch.randn(5)",
        kinds={"": ("x = torch.nn.functional.conv1d(x[None, None], z[None, None])[0, 0]",)},
        after=("u", "uu"),
        scale=2.0,
        arguments=PAIR,
        features=frozenset({"two_inputs"}),
    ),
)
