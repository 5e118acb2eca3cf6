/* An affine map whose bias may be absent: then its pointer is null and must not be read.

def reference(x, w):
    return x * w

def inputs():
    return [torch.randn(4, 33), torch.randn(33)]
*/
#include <torch/extension.h>

__global__ void affine(const float* x, const float* w, const float* bias, float* y, int rows, int cols) {
  const int c = threadIdx.x;
  if (c >= cols) return;
  const float b = bias ? bias[c] : 0.0f;  //~ "bias ? bias[c] : 0.0f" -> "bias[c]": ILLEGAL_MEMORY_ACCESS @here  //~ "bias ? bias[c]" -> "bias + 1 ? bias[c]": ILLEGAL_MEMORY_ACCESS @here
  for (int r = blockIdx.x; r < rows; r += gridDim.x) y[r * cols + c] = x[r * cols + c] * w[c] + b;  //@map
}

torch::Tensor forward(torch::Tensor x, torch::Tensor w) {
  torch::Tensor bias;
  auto y = torch::empty_like(x);
  const float* b = bias.defined() ? bias.data_ptr<float>() : nullptr;
  float* out = y.data_ptr<float>();  //~ "y.data_ptr<float>()" -> "nullptr": ILLEGAL_MEMORY_ACCESS @map  //~ "y.data_ptr<float>()" -> "(float*)malloc(y.nbytes())": ILLEGAL_MEMORY_ACCESS @map
  affine<<<2, 64>>>(x.data_ptr<float>(), w.data_ptr<float>(), b, out, x.size(0), x.size(1));
  return y;
}
