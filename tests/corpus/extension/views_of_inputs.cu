/* Kernels on views: permuted, selected, narrowed, unsqueezed; contiguous() where it is needed.

def reference(x):
    p = x.permute(2, 0, 1)
    return torch.cat([(p * 2).flatten(), (x.select(1, 2) * 2).flatten(), (x.narrow(0, 1, 2) * 2).flatten()])

def inputs():
    return [torch.randn(3, 4, 5)]
*/
#include <torch/extension.h>

__global__ void twice(const float* x, float* y, int n) {
  const int i = threadIdx.x;
  if (i < n) y[i] = 2 * x[i];  //~ "i < n" -> "i <= n": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor flat_twice(const torch::Tensor& x) {
  auto c = x.contiguous();
  auto y = torch::empty(c.sizes(), c.options()).view({-1});
  twice<<<1, 64>>>(c.data_ptr<float>(), y.data_ptr<float>(), c.numel());
  return y;
}

torch::Tensor forward(torch::Tensor x) {
  auto p = x.permute({2, 0, 1});  //~ "{2, 0, 1}" -> "{2, 1, 0}": WRONG_VALUES
  auto s = x.select(1, 2).unsqueeze(0).squeeze(0);
  auto n = x.narrow(0, 1, 2).flatten();  //~ "0, 1, 2" -> "0, 0, 2": WRONG_VALUES  //~ "0, 1, 2" -> "0, 1, 3": RUNTIME_ERROR
  return torch::cat({flat_twice(p), flat_twice(s), flat_twice(n)}, 0);  //~ "flat_twice(p), flat_twice(s), flat" -> "flat_twice(p), flat": WRONG_SHAPE
}
