/* Kernels return nothing, are no members, and take their parameters by value.

def reference(x):
    return x.clamp(-0.5, 0.75)

def inputs():
    return [torch.randn(5, 41)]
*/
#include <torch/extension.h>

struct Range {
  float low, high;
  __device__ float apply(float v) const { return fminf(fmaxf(v, low), high); }  //~ "__device__ float" -> "__global__ void": COMPILE_ERROR @here
};

__global__ void clamp_to(const float* x, float* y, Range range, int n) {  //~ "void" -> "int": COMPILE_ERROR @here  //~ "Range range" -> "const Range& range": ILLEGAL_MEMORY_ACCESS gpu: PASSED  //~ "int n" -> "int n, ...": COMPILE_ERROR @here  //~ "int n" -> "int& n": ILLEGAL_MEMORY_ACCESS gpu: PASSED
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  if (i < n) y[i] = range.apply(x[i]);  //~ "range.apply" -> "range.clamp": COMPILE_ERROR @here  //~ "y[i] =" -> "return": COMPILE_ERROR @here
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  int n = (int)x.numel();
  Range range{-0.5f, 0.75f};
  clamp_to<<<(n + 31) / 32, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), range, n);
  return y;
}
