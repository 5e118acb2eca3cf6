/* The last block to finish adds up what the others left: a fence, then an atomic counter.

def reference(x):
    return x.square().sum().reshape(1)

def inputs():
    return [torch.randn(700)]
*/
#include <torch/extension.h>

__device__ unsigned int finished = 0;

__global__ void sum_of_squares(const float* x, float* partial, float* out, int n) {
  __shared__ float s[64];
  __shared__ bool last;
  const int t = threadIdx.x;
  float mine = 0;
  for (int i = blockIdx.x * 64 + t; i < n; i += gridDim.x * 64) mine += x[i] * x[i];
  s[t] = mine;
  __syncthreads();  //~ delete: DATA_RACE
  if (t == 0) {
    float sum = 0;
    for (int i = 0; i < 64; ++i) sum += s[i];
    partial[blockIdx.x] = sum;
    __threadfence();  //~ delete: DATA_RACE @collect gpu: PASSED
    last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;  //~ "atomicInc(&finished, gridDim.x - 1)" -> "finished++": DATA_RACE @here  //~ "(&finished, gridDim.x - 1) == gridDim.x - 1" -> "(&finished, gridDim.x - 1) == 0": DATA_RACE  //~ "(&finished, gridDim.x - 1)" -> "(&finished, 1000)": WRONG_VALUES
  }
  __syncthreads();  //~ delete: DATA_RACE
  if (last && t == 63) {
    float sum = 0;
    for (int b = 0; b < gridDim.x; ++b) sum += partial[b];  //@collect
    *out = sum;
  }
}

torch::Tensor forward(torch::Tensor x) {
  const int blocks = 5;
  auto partial = torch::empty({blocks}, x.options()), out = torch::empty({1}, x.options());
  sum_of_squares<<<blocks, 64>>>(x.data_ptr<float>(), partial.data_ptr<float>(), out.data_ptr<float>(),
                                 x.numel());
  return out;
}
