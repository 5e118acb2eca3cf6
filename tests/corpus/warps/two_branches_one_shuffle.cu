/* Both branches of a warp call the same shuffle with the full mask: lanes meet by intrinsic and
mask, not by line.

def reference(x):
    return x.view(-1, 2).flip(1).reshape(-1) * torch.where(torch.arange(x.numel()) % 2 == 0, 2.0, 3.0)

def inputs():
    return [torch.randn(64)]
*/
#include <torch/extension.h>

__global__ void exchange(const float* x, float* y) {
  const int i = threadIdx.x;
  const float v = x[i];
  float result;
  if (i % 2 == 0) {
    result = 2.f * __shfl_xor_sync(0xffffffffu, v, 1);  //~ "__shfl_xor_sync(0xffffffffu, v, 1)" -> "v": NON_FINITE  //~ "__shfl_xor_sync(0xffffffffu, v, 1)" -> "__shfl_down_sync(0xffffffffu, v, 1)": DIVERGENT_BARRIER
  } else {
    result = 3.f * __shfl_xor_sync(0xffffffffu, v, 1);  //~ "0xffffffffu" -> "0xaaaaaaaau": NON_FINITE
  }
  y[i] = result;
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  exchange<<<1, x.numel()>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}
