/* Two passes that share a scratch buffer from cudaMalloc, freed after the last of them.

def reference(x):
    return (x.exp() + 1).log()

def inputs():
    return [torch.randn(50)]
*/
#include <cuda_runtime.h>
#include <torch/extension.h>

__global__ void exponentials(const float* x, float* scratch, int n) {
  const int i = threadIdx.x;
  if (i < n) scratch[i] = expf(x[i]);  //@fill
}

__global__ void logarithms(const float* scratch, float* y, int n) {
  const int i = threadIdx.x;
  if (i < n) y[i] = logf(scratch[i] + 1.0f);  //@drain
}

torch::Tensor forward(torch::Tensor x) {
  const int n = x.numel();
  auto y = torch::empty_like(x);
  float* scratch = nullptr;
  cudaMalloc(&scratch, n * sizeof(float));  //~ delete: ILLEGAL_MEMORY_ACCESS @fill  //~ " * sizeof(float)" -> "": ILLEGAL_MEMORY_ACCESS @fill
  exponentials<<<1, 64>>>(x.data_ptr<float>(), scratch, n);  //~ "n);" -> "n); cudaFree(scratch);": ILLEGAL_MEMORY_ACCESS @drain
  logarithms<<<1, 64>>>(scratch, y.data_ptr<float>(), n);
  cudaFree(scratch);
  return y;
}
