#include <torch/extension.h>
__global__ void kernel(const float* x, float* y, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i < n) y[i] = x[i] * undefined_name;
}
torch::Tensor forward(torch::Tensor x) {
  torch::Tensor y = torch::empty_like(x);
  int n = x.numel();
  kernel<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
