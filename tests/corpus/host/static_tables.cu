/* A table in static host memory goes to the device by a copy, as any other host memory.

def reference(x):
    return x * torch.tensor([0.0, 0, 1, 4, 9, 16, 25, 36])

def inputs():
    return [torch.randn(11, 8)]
*/
#include <c10/cuda/CUDAException.h>
#include <torch/extension.h>

constexpr int kColumns = 8;
constexpr int kFirst = 1;
static float table[kColumns];

__global__ void weigh(const float* x, const float* weights, float* y) {
  const int i = blockIdx.x * kColumns + threadIdx.x;
  const int c = static_cast<int>(threadIdx.x) - kFirst;
  y[i] = c < 0 ? 0.0f : x[i] * weights[c];  //@weigh  //~ "weights[c]" -> "table[c]": COMPILE_ERROR @here
}

torch::Tensor forward(torch::Tensor x) {
  for (int c = 0; c < kColumns; ++c) table[c] = c * c;
  auto y = torch::empty_like(x);
  float* weights;
  C10_CUDA_CHECK(cudaMalloc(&weights, sizeof(table)));  //~ "sizeof(table)" -> "16": RUNTIME_ERROR gpu: PASSED
  C10_CUDA_CHECK(cudaMemcpy(weights, table, sizeof(table), cudaMemcpyHostToDevice));  //~ delete: NON_FINITE  //~ "cudaMemcpyHostToDevice" -> "cudaMemcpyDefault": PASSED
  weigh<<<x.size(0), kColumns>>>(x.data_ptr<float>(), weights, y.data_ptr<float>());  //~ "weights, y" -> "table, y": ILLEGAL_MEMORY_ACCESS @weigh gpu: PASSED gap
  C10_CUDA_CHECK(cudaFree(weights));  //~ "(weights)" -> "(table)": RUNTIME_ERROR
  return y;
}
