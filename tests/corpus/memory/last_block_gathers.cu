/* All threads of a block write global memory; the last block to arrive sorts out what all wrote.

def reference(x):
    return x.square().flip(0)

def inputs():
    return [torch.randn(200)]
*/
#include <torch/extension.h>

__device__ int arrived;

__global__ void square_then_flip(const float* x, float* squares, float* y, int n) {
  __shared__ bool last;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) squares[i] = x[i] * x[i];
  __syncthreads();  //~ delete: DATA_RACE @flip gpu: PASSED
  if (threadIdx.x == 0) {
    __threadfence();  //~ delete: DATA_RACE @flip gpu: PASSED
    last = atomicAdd(&arrived, 1) == gridDim.x - 1;
    if (last) arrived = 0;
  }
  __syncthreads();  //~ delete: DATA_RACE
  if (!last) return;  //~ delete: DATA_RACE
  for (int j = threadIdx.x; j < n; j += blockDim.x) y[j] = squares[n - 1 - j];  //@flip
}

torch::Tensor forward(torch::Tensor x) {
  auto squares = torch::empty_like(x), y = torch::empty_like(x);
  const int n = x.numel();
  square_then_flip<<<(n + 31) / 32, 32>>>(x.data_ptr<float>(), squares.data_ptr<float>(),
                                          y.data_ptr<float>(), n);
  return y;
}
