/* Clipping a tensor into a fresh one; the argument itself must stay as it is.

def reference(x):
    return x.clamp(-1, 1)

def inputs():
    return [torch.randn(9, 14)]
*/
#include <torch/extension.h>

__global__ void clip(float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float v = x[i];
    if (v > 1.f) v = 1.f;
    if (v < -1.f) v = -1.f;
    y[i] = v;  //~ "y[i] = v" -> "x[i] = y[i] = v": INPUT_MUTATED  //~ "y[i] = v" -> "y[i] = v; x[i] = x[i]": PASSED  //~ "y[i]" -> "x[i]": NON_FINITE
  }
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);  //~ "torch::empty_like(x)" -> "x": INPUT_MUTATED  //~ "torch::empty_like(x)" -> "x.view({-1})": WRONG_SHAPE
  clip<<<1, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
