/* The first half of a block sums the left of a row, the second half finds the maximum of its
right; the barriers stand outside the branches, so that all threads reach them.

def reference(x):
    left, right = x[:, :32], x[:, 32:]
    return torch.stack([left.sum(1), right.amax(1)], 1)

def inputs():
    return [torch.randn(4, 55)]
*/
#include <torch/extension.h>

__global__ void halves(const float* x, float* y, int width) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = -INFINITY;  //@load
  if (t < width) s[t] = x[blockIdx.x * width + t];
  __syncthreads();  //~ delete: DATA_RACE @load  //~ "__syncthreads()" -> "if (t < 32) __syncthreads()": DATA_RACE @load
  const int i = t % 32;
  for (int half = 16; half > 0; half /= 2) {
    if (i < half) {
      if (t < 32) {
        s[t] += s[t + half];  //~ "s[t + half]" -> "s[t + half]; __syncthreads()": DIVERGENT_BARRIER
      } else {
        s[t] = fmaxf(s[t], s[t + half]);  //~ "fmaxf(s[t], s[t + half])" -> "s[t + half]": NON_FINITE
      }
    }
    __syncthreads();  //~ delete: DATA_RACE  //~ "__syncthreads()" -> "if (i < half) __syncthreads()": DATA_RACE  //~ "__syncthreads()" -> "if (i >= half) return; __syncthreads()": NON_FINITE
  }
  if (t < 2) y[blockIdx.x * 2 + t] = s[t * 32];
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty({x.size(0), 2}, x.options());
  halves<<<x.size(0), 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}
