/* In-place members of torch on an output that a kernel began: add_, mul_, clamp_, masked_fill_, copy_.

def reference(x):
    y = ((x * x + 1) * 0.5).clamp(max=2.0)
    y = y.masked_fill(x > 1.5, -1.0)
    y[0] = 7
    return y

def inputs():
    return [torch.randn(30)]
*/
#include <torch/extension.h>

__global__ void square(const float* x, float* y, int n) {
  const int i = threadIdx.x;
  if (i < n) y[i] = x[i] * x[i];  //~ delete: NON_FINITE  //~ "y[i] =" -> "y[i + 1] =": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  square<<<1, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  y.add_(1).mul_(0.5);  //~ "mul_(0.5)" -> "mul(0.5)": WRONG_VALUES
  y.clamp_max_(2.0);
  y.masked_fill_(x > 1.5, -1.0);
  y.select(0, 0).fill_(7);  //~ delete: WRONG_VALUES
  auto z = torch::zeros_like(y);
  z.copy_(y);
  return z;  //~ "return z" -> "return z.zero_()": WRONG_VALUES
}
