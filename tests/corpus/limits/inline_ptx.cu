/* PTX between the lines is nothing that a CPU can run; an empty statement is only a barrier.
expect: UNSUPPORTED

def reference(x):
    return x * 2 + 1

def inputs():
    return [torch.randn(64)]
*/
#include <torch/extension.h>

__global__ void affine(const float* x, float* y) {
  float v = x[threadIdx.x];
  asm volatile("fma.rn.f32 %0, %1, 0f40000000, 0f3F800000;" : "=f"(v) : "f"(v));  //~ delete: WRONG_VALUES
  y[threadIdx.x] = v;
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  affine<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}
