/* A strided gather whose positions exceed 32 bits before the modulus.

def reference(x):
    n = x.numel()
    return x[(torch.arange(300) * 50_000_000) % n]

def inputs():
    return [torch.randn(1009)]
*/
#include <torch/extension.h>

__global__ void gather(const float* x, float* y, int n, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const long long place = i * 50000000LL % n;  //~ "50000000LL" -> "50000000": ILLEGAL_MEMORY_ACCESS @read  //~ "50000000LL" -> "50000000u": WRONG_VALUES  //~ "i * 50000000LL % n" -> "i * 50000000LL": ILLEGAL_MEMORY_ACCESS @read
  y[i] = x[place];  //@read
}

torch::Tensor forward(torch::Tensor x) {
  const int count = 300;
  auto y = torch::empty({count}, x.options());
  gather<<<(count + 255) / 256, 256>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel(), count);
  return y;
}
