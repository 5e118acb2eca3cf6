/* Four billion blocks whose threads return at once: a GPU needs seconds, the cpu target gives up.
expect: TIMEOUT gpu: PASSED

def reference(x):
    return x + 1

def inputs():
    return [torch.randn(16)]
*/
#include <torch/extension.h>

__global__ void increment(const float* x, float* y, int n) {
  const unsigned long long i = blockIdx.y * 65535ull + blockIdx.x;
  if (i < n) y[i] = x[i] + 1;
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  increment<<<dim3(65535, 65535), 1>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());  //~ "65535, 65535" -> "16": PASSED  //~ "65535, 65535" -> "4294967295u": BAD_LAUNCH
  return y;
}
