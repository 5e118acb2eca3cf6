/* The softmax of each row: one block a row, a tree in shared memory for the maximum
and one for the sum.

def reference(x):
    return x.softmax(-1)

def inputs():
    return [torch.randn(5, 77)]
*/
#include <torch/extension.h>

__global__ void softmax_rows(const float* x, float* y, int width) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  x += blockIdx.x * width;
  y += blockIdx.x * width;
  float best = -INFINITY;
  for (int i = t; i < width; i += 64) best = fmaxf(best, x[i]);  //~ "i < width" -> "i < width + 64": ILLEGAL_MEMORY_ACCESS @here
  s[t] = best;  //@first
  __syncthreads();  //~ delete: DATA_RACE @first
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) s[t] = fmaxf(s[t], s[t + half]);  //~ "t < half" -> "true": ILLEGAL_MEMORY_ACCESS @here
    __syncthreads();  //~ delete: DATA_RACE
  }
  best = s[0];  //@best
  __syncthreads();  //~ delete: DATA_RACE
  float sum = 0;
  for (int i = t; i < width; i += 64) sum += expf(x[i] - best);
  s[t] = sum;
  __syncthreads();  //~ delete: DATA_RACE
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();  //~ delete: DATA_RACE
  }
  for (int i = t; i < width; i += 64) y[i] = expf(x[i] - best) / s[0];
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  softmax_rows<<<x.size(0), 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));  //~ "64>>>" -> "32>>>": NON_FINITE
  return y;
}
