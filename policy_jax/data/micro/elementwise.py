"""Families with one thread an element: chains, two inputs, broadcasts, indices."""

from __future__ import annotations

from policy_jax.data.micro.family import Combo, Family, fill
from policy_jax.data.micro.operators import operator

FLAT = ("torch.randn(37, 53)", "torch.randn(1987)", "torch.randn(5, 11, 29)")
FLAT_PAIR = tuple(f"{each}, {each}" for each in FLAT)
TALL = ("torch.randn(37, 53)", "torch.randn(21, 70)", "torch.randn(45, 33)")
LARGE = "torch.randn(4099, 4097)"
INDEXED = (
    "torch.randn(1987), torch.randint(0, 13, (1987,))",
    "torch.randn(901), torch.randint(0, 13, (901,))",
)


def _map(combo: Combo) -> str:
    return fill(
        """\
__global__ void kernel($params, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    float v = $load;
    y[i] = v;
  }
}

torch::Tensor forward($tensors) {
  torch::Tensor y = torch::empty_like(x);
  int n = x.numel();
  kernel<<<(n + 255) / 256, 256>>>(
      $pointers, y.data_ptr<float>(), n);
  return y;
}
""",
        combo,
    )


def _residual(combo: Combo) -> str:
    sign = {"add": "+", "mul": "*"}[combo.kind]
    return _map(combo).replace("    y[i] = v;", f"    y[i] = v {sign} x[i];")


def _residual_body(combo: Combo) -> tuple[str, ...]:
    sign = {"add": "+", "mul": "*"}[combo.kind]
    return ("r = x", *(operator(name).torch for name in combo.before), f"x = x {sign} r")


def _two_outputs(combo: Combo) -> str:
    return fill(
        """\
__global__ void kernel(const float* x, float* y, float* q, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    float v = $load;
    y[i] = v;
    q[i] = $store;
  }
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  torch::Tensor y = torch::empty_like(x);
  torch::Tensor q = torch::empty_like(x);
  int n = x.numel();
  kernel<<<(n + 255) / 256, 256>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), q.data_ptr<float>(), n);
  return {y, q};
}
""",
        combo,
    )


def _two_outputs_body(combo: Combo) -> tuple[str, ...]:
    before = (operator(name).torch for name in combo.before)
    return (*before, "q = x", *(operator(name).torch for name in combo.after))


def _broadcast(combo: Combo) -> str:
    head = "int rows = x.size(0), cols = x.size(1)"
    index = {"row": "z[i % cols]", "column": "z[i / cols]"}[combo.kind]
    return fill(
        """\
__global__ void kernel($params, float* y, int rows, int cols) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < rows * cols) {
    float v = f(x[i], $index);
    y[i] = v;
  }
}

torch::Tensor forward($tensors) {
  torch::Tensor y = torch::empty_like(x);
  $head, n = rows * cols;
  kernel<<<(n + 255) / 256, 256>>>(
      $pointers, y.data_ptr<float>(), rows, cols);
  return y;
}
""",
        combo,
        index=index,
        head=head,
    )


def _broadcast_body(combo: Combo) -> tuple[str, ...]:
    line = {"row": "z = z[None, :]", "column": "z = z[:, None]"}[combo.kind]
    return (line, *(operator(name).torch for name in combo.before))


def _outer(combo: Combo) -> str:
    return fill(
        """\
__global__ void kernel(const float* x, const float* z, float* y, int rows, int cols) {
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  if (r < rows && c < cols) {
    float v = x[r] * z[c];
    y[r * cols + c] = $store;
  }
}

torch::Tensor forward(torch::Tensor x, torch::Tensor z) {
  int rows = x.size(0), cols = z.size(0);
  torch::Tensor y = torch::empty({rows, cols}, x.options());
  dim3 grid((cols + 15) / 16, (rows + 15) / 16), block(16, 16);
  kernel<<<grid, block>>>(
      x.data_ptr<float>(), z.data_ptr<float>(), y.data_ptr<float>(), rows, cols);
  return y;
}
""",
        combo,
    )


def _gather(combo: Combo) -> str:
    return fill(
        """\
__global__ void kernel(const float* x, const int64_t* k, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    float v = x[k[i]];
    y[i] = $store;
  }
}

torch::Tensor forward(torch::Tensor x, torch::Tensor k) {
  torch::Tensor y = torch::empty({k.size(0)}, x.options());
  int n = k.numel();
  kernel<<<(n + 255) / 256, 256>>>(
      x.data_ptr<float>(), k.data_ptr<int64_t>(), y.data_ptr<float>(), n);
  return y;
}
""",
        combo,
    )


def _scatter(combo: Combo) -> str:
    return fill(
        """\
__global__ void kernel(const float* x, const int64_t* k, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    float v = $load;
    atomicAdd(y + k[i], v);
  }
}

torch::Tensor forward(torch::Tensor x, torch::Tensor k) {
  torch::Tensor y = torch::zeros({13}, x.options());
  int n = x.numel();
  kernel<<<(n + 255) / 256, 256>>>(
      x.data_ptr<float>(), k.data_ptr<int64_t>(), y.data_ptr<float>(), n);
  return y;
}
""",
        combo,
    )


def _total(combo: Combo) -> str:
    scale = {"sum": "v", "mean": "v / n"}[combo.kind]
    return fill(
        """\
__global__ void kernel($params, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) {
    float v = $load;
    atomicAdd(y, $scale);
  }
}

torch::Tensor forward($tensors) {
  torch::Tensor y = torch::zeros({1}, x.options());
  int n = x.numel();
  kernel<<<(n + 255) / 256, 256>>>(
      $pointers, y.data_ptr<float>(), n);
  return y;
}
""",
        combo,
        scale=scale,
    )


PAIR = ("x", "z")
TWO_INPUTS = frozenset({"two_inputs"})
BUCKETS = "x = torch.zeros(13, device=x.device).index_add(0, k, x)"
TOTAL_KINDS = {
    "sum": ("x = torch.sum(x).reshape(1)",),
    "mean": ("x = torch.mean(x).reshape(1)",),
}
TOTAL_FOLDS = {"sum": lambda x: x.sum(1), "mean": lambda x: x.mean(1)}

FAMILIES = (
    Family("unary", 1, _map, FLAT, LARGE, before=("u",)),
    Family("chain", 2, _map, FLAT, LARGE, before=("uu", "uuu")),
    Family(
        "pair",
        1,
        _map,
        FLAT_PAIR,
        f"{LARGE}, {LARGE}",
        before=("b",),
        arguments=PAIR,
        features=TWO_INPUTS,
    ),
    Family(
        "pair_chain",
        2,
        _map,
        FLAT_PAIR,
        f"{LARGE}, {LARGE}",
        before=("bu", "buu", "ub", "ubu"),
        arguments=PAIR,
        features=TWO_INPUTS,
    ),
    Family(
        "residual",
        2,
        _residual,
        FLAT,
        LARGE,
        before=("u", "uu"),
        body=_residual_body,
        kinds={"add": (), "mul": ()},
    ),
    Family(
        "two_outputs",
        2,
        _two_outputs,
        FLAT,
        LARGE,
        before=("u", "uu"),
        after=("u",),
        body=_two_outputs_body,
        returns="q, x",
        features=frozenset({"two_outputs"}),
    ),
    Family(
        "broadcast",
        2,
        _broadcast,
        ("torch.randn(53, 53), torch.randn(53)", "torch.randn(45, 45), torch.randn(45)"),
        "torch.randn(4097, 4097), torch.randn(4097)",
        kinds={"row": (), "column": ()},
        before=("b", "bu"),
        body=_broadcast_body,
        arguments=PAIR,
        features=TWO_INPUTS,
    ),
    Family(
        "outer",
        2,
        _outer,
        ("torch.randn(37), torch.randn(53)", "torch.randn(45), torch.randn(33)"),
        "torch.randn(4099), torch.randn(4097)",
        kinds={"": ("x = torch.outer(x, z)",)},
        after=("u", "uu"),
        arguments=PAIR,
        features=TWO_INPUTS,
    ),
    Family(
        "gather",
        2,
        _gather,
        (
            "torch.randn(301), torch.randint(0, 301, (1987,))",
            "torch.randn(97), torch.randint(0, 97, (901,))",
        ),
        "torch.randn(65537), torch.randint(0, 65537, (4194301,))",
        kinds={"": ("x = x[k]",)},
        after=("u", "uu"),
        arguments=("x", "k"),
        features=TWO_INPUTS,
    ),
    Family(
        "scatter",
        2,
        _scatter,
        INDEXED,
        "torch.randn(1048573), torch.randint(0, 13, (1048573,))",
        kinds={"": (BUCKETS,)},
        before=("u", "uu"),
        arguments=("x", "k"),
        features=frozenset({"two_inputs", "atomics"}),
    ),
    Family(
        "total",
        2,
        _total,
        FLAT,
        "torch.randn(1021, 1019)",
        before=("u", "uu"),
        kinds=TOTAL_KINDS,
        folds=TOTAL_FOLDS,
        features=frozenset({"atomics"}),
    ),
    Family(
        "pair_total",
        2,
        _total,
        FLAT_PAIR,
        "torch.randn(1021, 1019), torch.randn(1021, 1019)",
        before=("b", "bu"),
        kinds=TOTAL_KINDS,
        folds=TOTAL_FOLDS,
        arguments=PAIR,
        features=frozenset({"two_inputs", "atomics"}),
    ),
)
