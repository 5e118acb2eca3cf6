#include <torch/extension.h>
#include <tuple>

__global__ void affine(const float* x, const float* bias, float* y, float alpha, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = alpha * x[i] + (bias ? bias[i % m] : 0.0f);
}

std::tuple<torch::Tensor, int64_t> forward(torch::Tensor x, c10::optional<torch::Tensor> bias,
                                           double alpha, bool relu, const std::string& name) {
  auto y = torch::empty(x.sizes(), x.options());
  const float* b = bias.has_value() ? bias->data_ptr<float>() : nullptr;
  int n = x.numel();
  affine<<<(n + 255) / 256, 256>>>(x.data_ptr<float>(), b, y.data_ptr<float>(),
                                   static_cast<float>(alpha), n, (int)x.size(-1));
  if (relu) y = torch::relu(y);
  if (name == "fail") throw std::runtime_error("asked to fail: " + name);
  return std::make_tuple(y, x.dim());
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, py::arg("x"), py::arg("bias") = py::none(), py::arg("alpha") = 1.0,
        py::arg("relu") = false, py::arg("name") = "ok");
}
