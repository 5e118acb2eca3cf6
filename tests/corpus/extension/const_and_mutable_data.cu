/* const_data_ptr and mutable_data_ptr: a read-only input and an output, typed and untyped.

def reference(x):
    return x.flip(0)

def inputs():
    return [torch.randn(75)]
*/
#include <torch/extension.h>

__global__ void reverse(const float* __restrict__ x, float* __restrict__ y, int64_t n) {
  const int64_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[n - 1 - i] = __ldg(x + i);  //~ "n - 1 - i" -> "n - i": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(const torch::Tensor& x) {
  auto y = torch::empty_like(x);
  const float* in = x.const_data_ptr<float>();  //~ "const float* in" -> "float* in": COMPILE_ERROR @here
  float* out = static_cast<float*>(y.mutable_data_ptr());  //~ "y.mutable_data_ptr()" -> "x.mutable_data_ptr()": RUNTIME_ERROR
  TORCH_CHECK(y.mutable_data_ptr<float>() == out && y.data_ptr() == out);
  reverse<<<3, 32>>>(in, out, x.numel());
  return y;
}
