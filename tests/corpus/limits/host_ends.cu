/* Host code that ends the process, or throws what is no exception, is at fault itself.

def reference(x):
    return x * 0.5

def inputs():
    return [torch.randn(50)]
*/
#include <torch/extension.h>
#include <cstdlib>
#include <stdexcept>

__global__ void halve(const float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] / 2;
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  halve<<<1, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  const int n = x.numel();
  if (n < 50) throw std::invalid_argument("too short");  //~ "n < 50" -> "n == 50": RUNTIME_ERROR  //~ "if (n < 50) throw std::invalid_argument" -> "throw std::string": RUNTIME_ERROR  //~ "if (n < 50) throw" -> "throw 42; throw": RUNTIME_ERROR  //~ "if (n < 50)" -> "exit(0);": RUNTIME_ERROR  //~ "if (n < 50)" -> "abort();": RUNTIME_ERROR  //~ "if (n < 50)" -> "std::terminate();": RUNTIME_ERROR
  if (n < 50) y = x / (n - 50);  //~ "n < 50" -> "n % (n - 50) == 0": RUNTIME_ERROR
  TORCH_CHECK(y.numel() == n);  //~ "y.numel() == n" -> "y.dim() == 2, n": RUNTIME_ERROR  //~ "TORCH_CHECK(y.numel() == n);" -> "*static_cast<volatile int*>(nullptr) = n;": RUNTIME_ERROR
  return y;
}
