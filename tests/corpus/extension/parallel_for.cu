/* Host work by at::parallel_for, which only torch's own headers have.

expect: UNSUPPORTED
def reference(x):
    return x + torch.arange(x.numel()) % 3

def inputs():
    return [torch.randn(90)]
*/
#include <ATen/Parallel.h>
#include <torch/extension.h>

__global__ void add(const float* x, const float* t, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + t[i];
}

torch::Tensor forward(torch::Tensor x) {
  auto host = torch::empty({x.numel()}, torch::kFloat);
  float* values = host.data_ptr<float>();
  at::parallel_for(0, x.numel(), 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) values[i] = i % 3;
  });
  auto table = host.to(x.device());
  auto y = torch::empty_like(x);
  add<<<3, 32>>>(x.data_ptr<float>(), table.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  return y;
}
