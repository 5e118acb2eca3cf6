/* Scalars of every kind across the boundary: double, int64_t, bool, a string and a torch::Scalar.

def reference(x, alpha, k, flag, name, s):
    y = x * alpha + k
    return torch.where(torch.tensor(flag), y, -y) / s

def inputs():
    return [torch.randn(33), 1.5, 4, True, "plain", 2]
*/
#include <torch/extension.h>

#include <string>

__global__ void apply(const float* x, float* y, float alpha, float k, float sign, float s, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sign * (x[i] * alpha + k) / s;  //~ "i < n" -> "i <= n": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(torch::Tensor x, double alpha, int64_t k, bool flag, const std::string& name,  //~ "double alpha" -> "int64_t alpha": RUNTIME_ERROR
                      const torch::Scalar& s) {
  if (name != "plain") throw std::invalid_argument("unknown name " + name);  //~ "!=" -> "==": RUNTIME_ERROR
  auto y = torch::empty_like(x);
  apply<<<2, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), alpha, k, flag ? 1.0f : -1.0f,  //~ "1.0f : -1.0f" -> "-1.0f : 1.0f": WRONG_VALUES
                   s.to<float>(), x.numel());
  return y;
}
