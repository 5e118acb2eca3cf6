/* Fast intrinsics within the range where they are near: exponentials, logarithms, sines, ratios.

def reference(x):
    p = x.abs() + 0.2
    return torch.stack([x.exp(), p.log(), p.log2(), p.log10(), p.pow(1.7), x.sin(), x.cos(),
                        x / p, p.rsqrt(), 1 / p, x * p + 1, p.sqrt(), 1 / (1 + (-x).exp())]), p * 1e38 / 3e38

def inputs():
    return [torch.rand(80) * 6 - 3]
*/
#include <torch/extension.h>

__global__ void fast(const float* x, float* out, float* small, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i], p = fabsf(v) + 0.2f;
  float s, c;
  __sincosf(v, &s, &c);  //~ "(v, " -> "(v * 1.01f, ": WRONG_VALUES
  const float rows[] = {__expf(v), __logf(p), __log2f(p), __log10f(p), __powf(p, 1.7f), s, c,  //~ "__powf(p" -> "__powf(v": NON_FINITE  //~ "__log2f" -> "__logf": WRONG_VALUES
                        __fdividef(v, p), __frsqrt_rn(p), __frcp_rn(p), __fmaf_rn(v, p, 1.0f),
                        __fsqrt_rn(p), __fdividef(1.0f, 1.0f + __expf(-v))};  //~ "__expf(-v)" -> "__expf(v)": WRONG_VALUES
#pragma unroll
  for (int row = 0; row < sizeof(rows) / sizeof(rows[0]); ++row) out[row * n + i] = rows[row];
  small[i] = __fdiv_rn(p * 1e38f, 3e38f);  //~ "__fdiv_rn" -> "__fdividef": WRONG_VALUES
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  const int n = x.numel();
  auto out = torch::empty({13, n}, x.options()), small = torch::empty_like(x);
  fast<<<(n + 31) / 32, 32>>>(x.data_ptr<float>(), out.data_ptr<float>(), small.data_ptr<float>(), n);
  return {out, small};
}
