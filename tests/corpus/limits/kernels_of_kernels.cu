/* A launch from a kernel needs separate compilation, with which no extension is built.

def reference(x):
    return x + 1

def inputs():
    return [torch.randn(64)]
*/
#include <torch/extension.h>

__global__ void increment(const float* x, float* y) { y[threadIdx.x] = x[threadIdx.x] + 1; }

__device__ void step(const float* x, float* y) {
  y[threadIdx.x] = x[threadIdx.x] + 1;  //~ "y[threadIdx.x] = x[threadIdx.x] + 1;" -> "increment<<<1, 64>>>(x, y);": COMPILE_ERROR @here
}

__global__ void parent(const float* x, float* y) {
  step(x, y);  //~ "step(x, y);" -> "increment<<<1, 64>>>(x, y);": COMPILE_ERROR @here  //~ "step(x, y);" -> "if (threadIdx.x == 0) increment<<<1, 64>>>(x, y);": COMPILE_ERROR @here  //~ "step(x, y);" -> "increment(x, y);": COMPILE_ERROR @here
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  parent<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}
