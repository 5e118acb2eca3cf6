/* Three kernels over a workspace of two parts: partial sums, their total, the normalised input.

def reference(x):
    return x / x.abs().sum()

def inputs():
    return [torch.randn(500)]
*/
#include <torch/extension.h>

__global__ void partial(const float* x, float* parts, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += fabsf(x[i]);
  parts[blockIdx.x * blockDim.x + threadIdx.x] = sum;  //~ "blockIdx.x * blockDim.x + threadIdx.x" -> "threadIdx.x": DATA_RACE
}
__global__ void total(const float* parts, float* out, int count) {
  float sum = 0;
  for (int i = 0; i < count; ++i) sum += parts[i];  //~ "i < count" -> "i < count / 2": WRONG_VALUES
  *out = sum;
}
__global__ void divide(const float* x, const float* by, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] / *by;
}

torch::Tensor forward(torch::Tensor x) {
  const int n = x.numel(), blocks = 4, threads = 32, count = blocks * threads;
  auto workspace = torch::empty({count + 1}, x.options());  //~ "count + 1" -> "count": ILLEGAL_MEMORY_ACCESS
  float* parts = workspace.data_ptr<float>();
  float* sum = parts + count;
  auto y = torch::empty_like(x);
  partial<<<blocks, threads>>>(x.data_ptr<float>(), parts, n);
  total<<<1, 1>>>(parts, sum, count);  //~ delete: NON_FINITE
  divide<<<(n + 127) / 128, 128>>>(x.data_ptr<float>(), sum, y.data_ptr<float>(), n);
  return y;
}
