/* TensorOptions in its spellings; each names the same dtype and device.

def reference(x):
    return torch.stack([x + k for k in range(6)])

def inputs():
    return [torch.randn(21)]
*/
#include <torch/extension.h>

__global__ void plus(const float* x, float* y, float k, int n) {
  const int i = threadIdx.x;
  if (i < n) y[i] = x[i] + k;  //@plus  //~ "i < n" -> "i <= n": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(torch::Tensor x) {
  const int64_t n = x.size(0);
  std::vector<torch::Tensor> rows = {
      torch::empty({n}, x.options()),
      torch::empty(x.sizes(), torch::TensorOptions().dtype(torch::kFloat32).device(x.device())),
      torch::zeros({n}, torch::dtype(torch::kFloat).device(torch::kCUDA)),  //~ ".device(torch::kCUDA)" -> "": ILLEGAL_MEMORY_ACCESS @plus
      torch::ones({n}, torch::device({torch::kCUDA, 0}).dtype(at::kFloat)),  //~ "at::kFloat" -> "at::kDouble": RUNTIME_ERROR
      torch::full({n}, 7.0, x.options().dtype(x.dtype()).requires_grad(false)),
      at::empty({n}, at::device(x.device()).dtype(c10::ScalarType::Float).layout(at::kStrided)),
  };
  for (size_t k = 0; k < rows.size(); ++k)
    plus<<<1, 32>>>(x.data_ptr<float>(), rows[k].data_ptr<float>(), float(k), n);  //~ "float(k)" -> "1.0f": WRONG_VALUES
  return torch::stack(rows, 0);  //~ "rows, 0" -> "rows, 1": WRONG_SHAPE
}
