/* Tables from torch's factories: arange, linspace, eye, full and a tensor of listed values.

def reference(x):
    n = x.size(0)
    table = torch.arange(n) + 2 * torch.linspace(0, 1, n) + torch.tensor([1.0, -1.0]).repeat(n // 2)
    return x @ torch.eye(n) + table + 0.5

def inputs():
    return [torch.randn(8, 8)]
*/
#include <torch/extension.h>

__global__ void add_rows(const float* x, const float* a, const float* l, const float* s, float* y, int n) {
  const int c = threadIdx.x, r = blockIdx.x;
  y[r * n + c] = x[r * n + c] + a[c] + 2 * l[c] + s[c & 1];  //@sum  //~ "c & 1" -> "c": ILLEGAL_MEMORY_ACCESS @here  //~ "s[c & 1]" -> "s[0]": WRONG_VALUES
}

torch::Tensor forward(torch::Tensor x) {
  const int n = x.size(0);
  auto f = x.options();
  auto counts = torch::arange(0, n, f);  //~ "torch::arange(0, n, f)" -> "torch::arange(n, f.dtype(torch::kInt64))": RUNTIME_ERROR
  auto steps = torch::linspace(0, 1, n, f);  //~ "1, n, f" -> "2, n, f": WRONG_VALUES
  auto signs = torch::tensor({1.0, -1.0}, f);  //~ ", f)" -> ")": ILLEGAL_MEMORY_ACCESS @sum
  auto y = torch::mm(x, torch::eye(n, f));
  auto out = torch::empty_like(y);
  add_rows<<<n, n>>>(y.data_ptr<float>(), counts.data_ptr<float>(), steps.data_ptr<float>(),
                     signs.data_ptr<float>(), out.data_ptr<float>(), n);
  return out + torch::full({1}, 0.5, f);
}
