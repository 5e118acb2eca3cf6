/* Conversions and host reads: to(dtype), to(device), item<T>() and a switch over scalar_type.

def reference(x):
    return (x.float() / x.float().abs().max()).to(x.dtype)

def inputs():
    return [torch.randn(50, dtype=torch.float64)]
*/
#include <torch/extension.h>

__global__ void divide(const float* x, float* y, float by, int n) {
  const int i = threadIdx.x;
  if (i < n) y[i] = x[i] / by;  //@use  //~ "i < n" -> "true": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(torch::Tensor x) {
  torch::Tensor f;
  switch (x.scalar_type()) {
    case torch::kFloat: f = x; break;
    case torch::kDouble: f = x.to(torch::kFloat); break;  //~ delete: RUNTIME_ERROR
    case torch::kHalf: f = x.to(torch::TensorOptions().dtype(torch::kFloat)); break;
    default: TORCH_CHECK(false, "no kernel for ", x.scalar_type());
  }
  const float largest = f.abs().max().item<float>();  //~ "abs().max()" -> "abs().min()": WRONG_VALUES  //~ "abs().max()" -> "abs()": RUNTIME_ERROR
  auto y = torch::empty_like(f);
  divide<<<1, 64>>>(f.data_ptr<float>(), y.data_ptr<float>(), largest, f.numel());  //~ "f.data_ptr" -> "f.to(torch::kCPU).data_ptr": ILLEGAL_MEMORY_ACCESS @use
  return y.to(x.scalar_type());  //~ "y.to(x.scalar_type())" -> "y": WRONG_DTYPE
}
