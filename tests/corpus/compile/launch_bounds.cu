/* __launch_bounds__ belongs to kernels and takes constants.

def reference(x):
    return x.square()

def inputs():
    return [torch.randn(33, 3)]
*/
#include <torch/extension.h>

constexpr int kMax = 128;
int not_constant = 128;

__device__ float squared(float v) { return v * v; }  //~ "__device__ float" -> "__device__ __launch_bounds__(128) float": COMPILE_ERROR @here

__global__ void __launch_bounds__(kMax, 2) square(const float* x, float* y, int n) {  //~ "kMax" -> "not_constant": COMPILE_ERROR @here  //~ "kMax, 2" -> "": COMPILE_ERROR @here  //~ "kMax, 2" -> "kMax, 2, 1, 1": COMPILE_ERROR @here  //~ "kMax, 2" -> "undeclared": COMPILE_ERROR @here
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = squared(x[i]);
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  square<<<(n + kMax - 1) / kMax, kMax>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);  //~ "kMax - 1) / kMax, kMax" -> "63) / 256 + 1, 256": BAD_LAUNCH
  return y;
}
