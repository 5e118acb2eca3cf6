/* A module of several functions with docstrings; forward is one of them and calls another.

def reference(x):
    return torch.nn.functional.silu(x) + 1

def inputs():
    return [torch.randn(6, 20)]
*/
#include <torch/extension.h>

__global__ void silu_kernel(const float* x, float* y, int64_t n) {
  const int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] / (1.0f + __expf(-x[i]));  //~ "(-x[i])" -> "(x[i])": WRONG_VALUES  //~ "i < n" -> "true": ILLEGAL_MEMORY_ACCESS @here
}

namespace {
void check(const torch::Tensor& x) {
  TORCH_CHECK(x.is_cuda(), "x must be on the GPU");
  TORCH_CHECK_EQ(x.dim(), 2);  //~ "x.dim(), 2" -> "x.dim(), 3": RUNTIME_ERROR
}
}  // namespace

torch::Tensor activate(torch::Tensor x) {
  check(x);
  auto y = torch::empty_like(x);
  silu_kernel<<<(x.numel() + 31) / 32, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
torch::Tensor forward(torch::Tensor x) { return activate(x).add_(1); }  //~ ".add_(1)" -> "": WRONG_VALUES
int64_t version() { return 3; }

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.doc() = "activations";
  m.def("activate", &activate, R"doc(SiLU of a matrix.)doc", py::arg("x"));
  m.def("forward", &forward, "SiLU plus one", py::arg("x"));
  m.def("version", &version);
  m.def("double_version", []() { return 2 * version(); });
}
