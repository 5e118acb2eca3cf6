/* A normalisation of rows in double, with an argument that C++ alone gives a default.

def reference(x, eps):
    return x * torch.rsqrt((x**2).mean(1, keepdim=True) + eps)

def inputs():
    return [torch.randn(5, 37).double(), 1e-6]
*/
#include <torch/extension.h>
#include <cmath>
#include <iostream>

__global__ void norm_kernel(const double* x, double* y, int rows, int columns, double eps) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;  //~ delete: ILLEGAL_MEMORY_ACCESS
  double s = 0.0;
  for (int c = 0; c < columns; c++) s += pow(x[r * columns + c], 2.0);
  double inv = rsqrt(s / columns + eps);  //~ "double inv = rsqrt" -> "float inv = rsqrtf": WRONG_VALUES
  for (int c = 0; c < columns; c++) y[r * columns + c] = x[r * columns + c] * inv;
}

torch::Tensor forward(torch::Tensor x, double eps = 1e-6) {
  if (x.dtype() != torch::kFloat64) {  //~ "!=" -> "==": RUNTIME_ERROR
    std::cerr << "not double: " << x.numel() << std::endl;
    throw std::invalid_argument("x must be float64, it is " + std::string(x.dtype().name()));
  }
  auto y = torch::empty({x.size(0), x.size(1)}, x.options());
  norm_kernel<<<1, 32>>>(x.data_ptr<double>(), y.data_ptr<double>(), x.size(0), x.size(1), eps);
  return y;
}
