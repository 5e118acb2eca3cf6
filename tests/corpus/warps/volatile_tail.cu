/* The old reduction whose last warp relies on lanes in step, through a volatile pointer: wrong
since sm_70, and nothing that the cpu target can judge.
expect: UNSUPPORTED

def reference(x):
    return x.sum().reshape(1)

def inputs():
    return [torch.randn(128)]
*/
#include <torch/extension.h>

__device__ void fold_last_warp(volatile float* s, int t) {
  s[t] += s[t + 32];
  s[t] += s[t + 16];
  s[t] += s[t + 8];
  s[t] += s[t + 4];
  s[t] += s[t + 2];
  s[t] += s[t + 1];
}

__global__ void total(const float* x, float* y) {
  __shared__ float s[128];
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  if (t < 64) s[t] += s[t + 64];
  __syncthreads();
  if (t < 32) fold_last_warp(s, t);
  if (t == 0) y[0] = s[0];
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty({1}, x.options());
  total<<<1, 128>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}
