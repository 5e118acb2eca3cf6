/* A kernel that traps on what its caller promised not to pass.

def reference(x):
    return x.log()

def inputs():
    return [torch.rand(200) + 0.5]
*/
#include <torch/extension.h>

__global__ void logarithm(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (x[i] <= 0) __trap();  //@trap  //~ "x[i] <= 0" -> "x[i] > 0": RUNTIME_ERROR @here  //~ "if (x[i] <= 0) __trap();" -> "if (i == 7) __trap();": RUNTIME_ERROR @trap  //~ "__trap();" -> "return;": PASSED
  y[i] = logf(x[i]);
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  logarithm<<<7, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
