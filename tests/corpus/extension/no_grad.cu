/* A kernel's result in an expression of torch's, without a graph: NoGradGuard around the host part.

def reference(x, w):
    return torch.relu(x @ w).sum(1)

def inputs():
    return [torch.randn(10, 6), torch.randn(6, 12)]
*/
#include <torch/extension.h>

__global__ void relu_sum(const float* x, float* y, int cols) {
  float sum = 0;
  for (int c = 0; c < cols; ++c) sum += fmaxf(x[blockIdx.x * cols + c], 0.0f);  //~ "c < cols" -> "c <= cols": ILLEGAL_MEMORY_ACCESS  //~ "fmaxf" -> "fminf": WRONG_VALUES
  y[blockIdx.x] = sum;
}

at::Tensor forward(at::Tensor x, at::Tensor w) {
  torch::NoGradGuard no_grad;
  auto p = at::matmul(x, w.detach());
  TORCH_CHECK(!p.requires_grad());
  auto y = at::empty({p.size(0)}, p.options());
  relu_sum<<<p.size(0), 1>>>(p.data_ptr<float>(), y.data_ptr<float>(), p.size(1));  //~ "p.data_ptr" -> "x.data_ptr": ILLEGAL_MEMORY_ACCESS
  return y;
}
