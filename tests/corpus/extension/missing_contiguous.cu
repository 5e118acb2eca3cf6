/* A transposed input whose memory is read as if it were contiguous: the kernel sees other values.

expect: WRONG_VALUES
def reference(x):
    return x.t() + 1

def inputs():
    return [torch.randn(6, 10)]
*/
#include <torch/extension.h>

__global__ void plus_one(const float* x, float* y, int n) {
  const int i = threadIdx.x;
  if (i < n) y[i] = x[i] + 1;  //~ "i < n" -> "true": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(torch::Tensor x) {
  auto t = x.t();  //~ "x.t()" -> "x.t().contiguous()": PASSED
  auto y = torch::empty(t.sizes(), t.options());
  plus_one<<<1, 64>>>(t.data_ptr<float>(), y.data_ptr<float>(), t.numel());
  return y;
}
