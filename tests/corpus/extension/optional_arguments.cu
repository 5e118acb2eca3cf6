/* Optional tensors and numbers in three spellings, with defaults by py::arg.

def reference(x, w):
    return x * w * 0.5

def inputs():
    return [torch.randn(40), torch.randn(40)]
*/
#include <torch/extension.h>

#include <optional>

__global__ void affine(const float* x, const float* w, const float* b, float* y, float scale, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  y[i] = scale * (w ? w[i] : 1.0f) * x[i] + (b ? b[i] : 0.0f);  //~ "(b ? b[i] : 0.0f)" -> "b[i]": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(torch::Tensor x, const c10::optional<torch::Tensor>& w,
                      std::optional<at::Tensor> b, at::optional<double> scale, bool negate,
                      const std::string& mode) {
  TORCH_CHECK(mode == "mul" || mode == "none", "unknown mode: ", mode);
  auto y = torch::empty_like(x);
  const float* wp = w.has_value() && mode == "mul" ? w.value().data_ptr<float>() : nullptr;  //~ "w.has_value()" -> "!w.has_value()": WRONG_VALUES
  affine<<<2, 32>>>(x.data_ptr<float>(), wp, b ? b->data_ptr<float>() : nullptr, y.data_ptr<float>(),
                    static_cast<float>(scale.value_or(0.5)), x.numel());  //~ "value_or(0.5)" -> "value()": RUNTIME_ERROR
  return negate ? -y : y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, "x * w * scale + b", py::arg("x"), py::arg("w") = py::none(),
        py::arg("b") = py::none(), py::arg("scale") = py::none(), py::arg("negate") = false,  //~ "= false" -> "= true": WRONG_VALUES
        py::arg("mode") = "mul");  //~ "mul" -> "mull": RUNTIME_ERROR
}
