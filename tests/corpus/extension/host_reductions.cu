/* Host reductions around a kernel: the mean and the spread of a batch, then normalised.

def reference(x):
    return (x - x.mean(0, keepdim=True)) / x.var(0, unbiased=False).add(1e-5).sqrt(), x.argmax(1)

def inputs():
    return [torch.randn(20, 6)]
*/
#include <torch/extension.h>

__global__ void normalise(const float* x, const float* mean, const float* var, float* y, int n, int cols) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = (x[i] - mean[i % cols]) * rsqrtf(var[i % cols] + 1e-5f);  //~ "mean[i % cols]" -> "mean[i]": ILLEGAL_MEMORY_ACCESS @here
}

std::tuple<at::Tensor, at::Tensor> forward(at::Tensor x) {
  auto mean = x.mean({0}, /*keepdim=*/true);  //~ "{0}" -> "{1}": WRONG_VALUES
  auto var = at::var(x, {0}, /*unbiased=*/false);  //~ "/*unbiased=*/false" -> "true": WRONG_VALUES
  auto y = at::empty_like(x);
  normalise<<<4, 32>>>(x.data_ptr<float>(), mean.data_ptr<float>(), var.data_ptr<float>(), y.data_ptr<float>(), x.numel(), x.size(1));
  return {y, x.argmax(1)};  //~ "x.argmax(1)" -> "std::get<0>(x.max(1))": WRONG_DTYPE  //~ "argmax(1)" -> "argmin(1)": WRONG_VALUES
}
