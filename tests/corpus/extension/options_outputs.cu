/* Two outputs of different types from one set of options, with macros that check inputs.

def reference(x):
    return x.sum(1), x.argmax(1).int()

def inputs():
    return [torch.randn(5, 37)]
*/
#include <torch/extension.h>
#include <vector>

#define CHECK_CUDA(x) TORCH_CHECK(x.device().is_cuda(), #x " must be a CUDA tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_INPUT(x) CHECK_CUDA(x); CHECK_CONTIGUOUS(x)

__global__ void row_stats(const float* x, float* sum, int* arg, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;  //~ delete: ILLEGAL_MEMORY_ACCESS
  float total = 0.0f, best = -INFINITY;
  int where = 0;
  for (int c = 0; c < columns; ++c) {
    float v = x[row * columns + c];
    total += v;
    if (v > best) { best = v; where = c; }  //~ "v > best" -> "v < best": WRONG_VALUES
  }
  sum[row] = total;
  arg[row] = where;
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  CHECK_INPUT(x);
  const int rows = x.size(0);
  const int columns = x.size(1);
  auto options = torch::TensorOptions().dtype(torch::kFloat32).device(x.device());
  auto sum = torch::empty({rows}, options);
  auto arg = torch::empty({rows}, options.dtype(torch::kInt32));  //~ "options.dtype(torch::kInt32)" -> "options": RUNTIME_ERROR
  const int threads = 64;
  row_stats<<<(rows + threads - 1) / threads, threads>>>(
      x.data_ptr<float>(), sum.data_ptr<float>(), arg.data_ptr<int>(), rows, columns);
  return {sum, arg};
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.doc() = "row statistics";
  m.def("forward", &forward, "sums and arguments of the maxima", py::arg("x"));
}
