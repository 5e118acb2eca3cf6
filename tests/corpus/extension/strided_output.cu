/* An output with strides of its own: empty_strided writes columns, as_strided reads windows.

def reference(x):
    return x.unfold(0, 4, 1).sum(1), (x * 2).reshape(10, 6).t()

def inputs():
    return [torch.randn(60)]
*/
#include <torch/extension.h>

__global__ void window_sums(const float* w, int64_t s0, int64_t s1, float* y, int rows) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int c = 0; c < 4; ++c) sum += w[r * s0 + c * s1];  //~ "c * s1" -> "c * s1 * 2": ILLEGAL_MEMORY_ACCESS @here
  y[r] = sum;
}
__global__ void twice(const float* x, float* y, int64_t s0, int64_t s1) {
  const int r = blockIdx.x, c = threadIdx.x;
  y[r * s0 + c * s1] = 2 * x[c * 6 + r];  //~ "r * s0 + c * s1" -> "r * 10 + c": WRONG_VALUES
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  const int rows = x.size(0) - 3;
  auto windows = x.as_strided({rows, 4}, {1, 1});  //~ "{1, 1}" -> "{1, 2}": RUNTIME_ERROR
  auto sums = torch::empty({rows}, x.options());
  window_sums<<<2, 32>>>(windows.data_ptr<float>(), windows.stride(0), windows.stride(1), sums.data_ptr<float>(), rows);
  auto t = torch::empty_strided({6, 10}, {1, 6}, x.options());
  TORCH_INTERNAL_ASSERT(!t.is_contiguous() && t.strides() == at::IntArrayRef({1, 6}));
  twice<<<6, 10>>>(x.data_ptr<float>(), t.data_ptr<float>(), t.stride(0), t.stride(1));
  return {sums, t};  //~ "sums, t" -> "sums, t.t()": WRONG_SHAPE
}
