/* A workspace kept in a static between calls, grown when an input needs more.

def reference(x):
    return x.sum(1)

def inputs():
    return [torch.randn(11, 40)]
*/
#include <torch/extension.h>

__global__ void partial(const float* x, float* parts, int cols) {
  float sum = 0;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) sum += x[blockIdx.x * cols + c];
  parts[blockIdx.x * blockDim.x + threadIdx.x] = sum;  //@store
}
__global__ void finish(const float* parts, float* y, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += parts[blockIdx.x * count + i];  //~ "i < count" -> "i < count - 1": WRONG_VALUES
  y[blockIdx.x] = sum;
}

static torch::Tensor& workspace(int64_t count, const torch::Tensor& like) {
  static torch::Tensor kept;
  if (!kept.defined() || kept.numel() < count || kept.device() != like.device())
    kept = torch::empty({count}, like.options());  //~ "{count}" -> "{count - 1}": ILLEGAL_MEMORY_ACCESS @store  //~ delete: RUNTIME_ERROR
  return kept;
}

torch::Tensor forward(torch::Tensor x) {
  const int rows = x.size(0), threads = 16;
  float* parts = workspace(int64_t(rows) * threads, x).data_ptr<float>();
  auto y = torch::empty({rows}, x.options());
  partial<<<rows, threads>>>(x.data_ptr<float>(), parts, x.size(1));
  finish<<<rows, 1>>>(parts, y.data_ptr<float>(), threads);
  return y;
}
