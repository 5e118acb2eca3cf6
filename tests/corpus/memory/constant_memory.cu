/* A polynomial whose coefficients lie in constant memory.

def reference(x):
    return ((2 * x - 3) * x + 0.5) * x + 7

def inputs():
    return [torch.randn(70)]
*/
#include <torch/extension.h>

__constant__ float coefficients[4];
__device__ const float offsets[3] = {0.0f, 6.5f, 6.5f};

__global__ void polynomial(const float* x, float* y, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  float value = 0.0f;
  for (int j = 0; j < 4; ++j) value = value * x[i] + coefficients[j];  //~ "j < 4" -> "j <= 4": ILLEGAL_MEMORY_ACCESS @here  //~ "coefficients[j]" -> "coefficients[3 - j]": WRONG_VALUES
  y[i] = value + offsets[1 + i % 2];  //~ "1 + i % 2" -> "1 + i % 3": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(torch::Tensor x) {
  const float host[4] = {2.0f, -3.0f, 0.5f, 0.5f};
  cudaMemcpyToSymbol(coefficients, host, sizeof(host));  //~ delete: WRONG_VALUES
  auto y = torch::empty_like(x);
  polynomial<<<2, 48>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
