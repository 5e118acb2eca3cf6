/* A gated unit: the input is chunked on the host, the halves meet in the kernel, and are split again.

def reference(x):
    a, b = x.chunk(2, 1)
    y = a * b.sigmoid()
    return y[:, :3], y[:, 3:]

def inputs():
    return [torch.randn(5, 16)]
*/
#include <torch/extension.h>

__global__ void gate(const float* a, const float* b, float* y, int64_t stride, int cols, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int64_t at = (i / cols) * stride + i % cols;  //~ "* stride" -> "* cols": WRONG_VALUES
  y[i] = a[at] / (1.0f + expf(-b[at]));  //~ "b[at]" -> "b[at + 8]": ILLEGAL_MEMORY_ACCESS
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  auto parts = x.chunk(2, /*dim=*/1);  //~ "chunk(2" -> "chunk(4": RUNTIME_ERROR
  auto y = torch::empty({parts[0].size(0), parts[0].size(1)}, x.options());
  gate<<<2, 32>>>(parts[0].data_ptr<float>(), parts[1].data_ptr<float>(), y.data_ptr<float>(),
                  parts[0].stride(0), y.size(1), y.numel());
  return torch::split(y, {3, 5}, 1);  //~ "{3, 5}, 1" -> "{3, 6}, 1": RUNTIME_ERROR
}
