/* A kernel that prints as it works.

def reference(x):
    return x.cumsum(0)

def inputs():
    return [torch.randn(24)]
*/
#include <cstdio>
#include <torch/extension.h>

__global__ void running_sum(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    y[i] = sum += x[i];
    if (i % 8 == 0) printf("[%d,%u] %s %f\n", i, threadIdx.x, "sum", sum);  //~ "printf" -> "std::printf": PASSED  //~ "printf" -> "fprintf": COMPILE_ERROR @here  //~ "printf" -> "std::puts": COMPILE_ERROR @here
  }
  if (sum > 1e30f) printf("no number\n");  //~ "sum > 1e30f" -> "n": PASSED
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  running_sum<<<1, 1>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());  //~ "<<<1, 1" -> "<<<1, 2": PASSED
  cudaDeviceSynchronize();
  return y;
}
