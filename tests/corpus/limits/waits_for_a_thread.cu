/* A thread waits for a flag that another thread of its block raises behind a fence.

def reference(x):
    return x * x[0]

def inputs():
    return [torch.randn(48)]
*/
#include <torch/extension.h>

__global__ void by_the_first(const float* x, float* y, int n) {
  __shared__ float first;
  __shared__ int raised;
  if (threadIdx.x == 0) raised = 0;
  __syncthreads();  //~ delete: DATA_RACE
  if (threadIdx.x == 40) {
    first = x[0];
    __threadfence_block();  //~ delete: DATA_RACE gpu: PASSED
    atomicExch(&raised, 1);
  } else if (threadIdx.x < n) {
    while (atomicAdd(&raised, 0) == 0) {  //~ "== 0" -> "== 2": DATA_RACE
    }
    __threadfence_block();
  }
  if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x] * first;
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  by_the_first<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
