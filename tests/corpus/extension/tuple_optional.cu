/* A tuple of two tensors; arguments with defaults, of which a tensor may be absent.

def reference(x, bias, alpha):
    return x * alpha, x.new_full((1,), 2)

def inputs():
    return [torch.randn(5, 37), None, 2.0]
*/
#include <torch/extension.h>
#include <tuple>

__global__ void affine(const float* x, const float* bias, float* y, float alpha, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = alpha * x[i] + (bias ? bias[i % m] : 0.0f);  //~ "bias ? bias[i % m] : 0.0f" -> "bias[i % m]": ILLEGAL_MEMORY_ACCESS @here
}

std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor x, c10::optional<torch::Tensor> bias,
                                           double alpha, bool relu, const std::string& name) {
  auto y = torch::empty(x.sizes(), x.options());
  const float* b = bias.has_value() ? bias->data_ptr<float>() : nullptr;
  int n = x.numel();
  affine<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), b, y.data_ptr<float>(),
                                   static_cast<float>(alpha), n, (int)x.size(-1));
  if (relu) y = torch::relu(y);
  if (name == "fail") throw std::runtime_error("asked to fail: " + name);  //~ "name == " -> "name != ": RUNTIME_ERROR
  return std::make_tuple(y, torch::full({1}, x.dim(), x.options()));
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("bias") = py::none(), py::arg("alpha") = 1.0,
        py::arg("relu") = false, py::arg("name") = "ok");  //~ "= false" -> "= true": WRONG_VALUES
}
