/* The same reduction made right: every step reads, waits, writes and waits again.

def reference(x):
    return x.amax().reshape(1)

def inputs():
    return [torch.randn(97)]
*/
#include <torch/extension.h>

__device__ void fold_last_warp(volatile float* s, int t) {
  for (int d = 32; d > 0; d >>= 1) {
    const float v = fmaxf(s[t], s[t + d]);
    __syncwarp();  //~ delete: UNSUPPORTED
    s[t] = v;  //@write
    __syncwarp();  //~ delete: UNSUPPORTED
  }
}

__global__ void largest(const float* x, float* y, int n) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  float best = -INFINITY;
  for (int i = t; i < n; i += 64) best = fmaxf(best, x[i]);
  s[t] = best;
  __syncthreads();  //~ delete: DATA_RACE
  if (t < 32) fold_last_warp(s, t);  //~ "t < 32" -> "t < 64": ILLEGAL_MEMORY_ACCESS
  if (t == 0) *y = s[0];
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty({1}, x.options());
  largest<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
