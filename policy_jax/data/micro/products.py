"""Families built on products: matrices, vectors, an attention row, an MLP."""

from __future__ import annotations

from policy_jax.data.micro.family import Combo, Family, fill
from policy_jax.data.micro.operators import operator
from policy_jax.data.micro.rows import block_reduction


def _matmul(combo: Combo) -> str:
    return fill(
        """\
__global__ void kernel(const float* x, const float* z, float* y, int rows, int inner, int cols) {
  __shared__ float p[16][16];
  __shared__ float q[16][16];
  int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
  float v = 0.f;
  for (int k = 0; k < inner; k += 16) {
    int a = k + threadIdx.x, b = k + threadIdx.y;
    p[threadIdx.y][threadIdx.x] = r < rows && a < inner ? x[r * inner + a] : 0.f;
    q[threadIdx.y][threadIdx.x] = b < inner && c < cols ? z[b * cols + c] : 0.f;
    __syncthreads();
    for (int j = 0; j < 16; ++j) v = v + p[threadIdx.y][j] * q[j][threadIdx.x];
    __syncthreads();
  }
  if (r < rows && c < cols) y[r * cols + c] = $store;
}

torch::Tensor forward(torch::Tensor x, torch::Tensor z) {
  int rows = x.size(0), inner = x.size(1), cols = z.size(1);
  torch::Tensor y = torch::empty({rows, cols}, x.options());
  dim3 grid((cols + 15) / 16, (rows + 15) / 16), block(16, 16);
  kernel<<<grid, block>>>(
      x.data_ptr<float>(), z.data_ptr<float>(), y.data_ptr<float>(), rows, inner, cols);
  return y;
}
""",
        combo,
    )


def _matvec(combo: Combo) -> str:
    return fill(
        """\
__global__ void kernel(const float* x, const float* z, float* y, int cols) {
  int r = blockIdx.x, t = threadIdx.x;
  float v = 0.f;
  for (int c = t; c < cols; c += 32) v = v + x[r * cols + c] * z[c];
  for (int k = 16; k > 0; k /= 2) v = v + __shfl_down_sync(0xffffffff, v, k);
  if (t == 0) y[r] = $store;
}

torch::Tensor forward(torch::Tensor x, torch::Tensor z) {
  int rows = x.size(0), cols = x.size(1);
  torch::Tensor y = torch::empty({rows}, x.options());
  kernel<<<rows, 32>>>(
      x.data_ptr<float>(), z.data_ptr<float>(), y.data_ptr<float>(), cols);
  return y;
}
""",
        combo,
    )


def _mlp(combo: Combo) -> str:
    """Two layers without a bias; ``g`` is the activation between them."""
    return fill(
        """\
__global__ void kernel(const float* x, const float* z, const float* u, float* y, int cols,
                       int wide) {
  extern __shared__ float s[];
  int r = blockIdx.x, t = threadIdx.x;
  for (int h = t; h < wide; h += 64) {
    float v = 0.f;
    for (int c = 0; c < cols; ++c) v = v + x[r * cols + c] * z[c * wide + h];
    s[h] = $store;
  }
  __syncthreads();
  for (int c = t; c < cols; c += 64) {
    float v = 0.f;
    for (int h = 0; h < wide; ++h) v = v + s[h] * u[h * cols + c];
    y[r * cols + c] = v;
  }
}

torch::Tensor forward(torch::Tensor x, torch::Tensor z, torch::Tensor u) {
  int rows = x.size(0), cols = x.size(1), wide = z.size(1);
  torch::Tensor y = torch::empty_like(x);
  int bytes = wide * sizeof(float);
  kernel<<<rows, 64, bytes>>>(
      x.data_ptr<float>(), z.data_ptr<float>(), u.data_ptr<float>(),
      y.data_ptr<float>(), cols, wide);
  return y;
}
""",
        combo,
    )


def _mlp_body(combo: Combo) -> tuple[str, ...]:
    hidden = (operator(name).torch for name in combo.after)
    return ("x = torch.matmul(x, z)", *hidden, "x = torch.matmul(x, u)")


def _attention(combo: Combo) -> str:
    """One block a query: scores in shared memory, their softmax, the mean of values."""
    return (
        block_reduction("max")
        + block_reduction("sum")
        + fill(
            """\
__global__ void kernel(const float* x, const float* k, const float* u, float* y, int n, int d) {
  __shared__ float s[128];
  extern __shared__ float p[];
  int r = blockIdx.x, t = threadIdx.x;
  float m = -INFINITY;
  for (int j = t; j < n; j += 128) {
    float v = 0.f;
    for (int c = 0; c < d; ++c) v = v + x[r * d + c] * k[j * d + c];
    v = v * 0.125f;
    p[j] = v;
    m = fmaxf(m, v);
  }
  m = block_max(m, s);
  float a = 0.f;
  for (int j = t; j < n; j += 128) {
    p[j] = expf(p[j] - m);
    a = a + p[j];
  }
  a = block_sum(a, s);
  for (int c = t; c < d; c += 128) {
    float v = 0.f;
    for (int j = 0; j < n; ++j) v = v + p[j] * u[j * d + c];
    v = v / a;
    y[r * d + c] = $store;
  }
}

torch::Tensor forward(torch::Tensor x, torch::Tensor k, torch::Tensor u) {
  int rows = x.size(0), d = x.size(1), n = k.size(0);
  torch::Tensor y = torch::empty_like(x);
  int bytes = n * sizeof(float);
  kernel<<<rows, 128, bytes>>>(
      x.data_ptr<float>(), k.data_ptr<float>(), u.data_ptr<float>(),
      y.data_ptr<float>(), n, d);
  return y;
}
""",
            combo,
        )
    )


PAIR = ("x", "z")

FAMILIES = (
    Family(
        "matmul",
        2,
        _matmul,
        ("torch.randn(21, 37), torch.randn(37, 29)", "torch.randn(33, 19), torch.randn(19, 45)"),
        "torch.randn(1021, 1019), torch.randn(1019, 1031)",
        kinds={"": ("x = torch.matmul(x, z)",)},
        after=("", "u", "uu"),
        scale=5.0,
        arguments=PAIR,
        features=frozenset({"shared", "two_inputs"}),
    ),
    Family(
        "matvec",
        2,
        _matvec,
        ("torch.randn(53, 45), torch.randn(45)", "torch.randn(29, 70), torch.randn(70)"),
        "torch.randn(4099, 4097), torch.randn(4097)",
        kinds={"": ("x = torch.mv(x, z)",)},
        after=("u", "uu"),
        scale=7.0,
        arguments=PAIR,
        features=frozenset({"shuffle", "two_inputs"}),
    ),
    Family(
        "mlp",
        3,
        _mlp,
        (
            "torch.randn(19, 21), torch.randn(21, 70), torch.randn(70, 21)",
            "torch.randn(13, 33), torch.randn(33, 45), torch.randn(45, 33)",
        ),
        "torch.randn(1021, 257), torch.randn(257, 1021), torch.randn(1021, 257)",
        body=_mlp_body,
        after=("u", "uu"),
        scale=5.0,
        arguments=("x", "z", "u"),
        features=frozenset({"shared", "two_inputs"}),
    ),
    Family(
        "attention",
        3,
        _attention,
        (
            "torch.randn(11, 24), torch.randn(150, 24), torch.randn(150, 24)",
            "torch.randn(7, 40), torch.randn(70, 40), torch.randn(70, 40)",
        ),
        "torch.randn(1021, 64), torch.randn(1021, 64), torch.randn(1021, 64)",
        kinds={
            "": (
                "x = torch.softmax(torch.matmul(x, k.t()) * 0.125, dim=1)",
                "x = torch.matmul(x, u)",
            )
        },
        after=("", "u"),
        scale=0.3,
        arguments=("x", "k", "u"),
        features=frozenset({"shared", "two_inputs"}),
    ),
)
