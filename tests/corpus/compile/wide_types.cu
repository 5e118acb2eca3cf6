/* A sum modulo a large prime through 128-bit products, which nvcc knows, by a kernel.

def reference(x):
    return x * 1000003 % 2147483647

def inputs():
    return [torch.randint(0, 2147483647, (45,))]
*/
#include <torch/extension.h>

using wide = unsigned __int128;

__global__ void times_mod(const int64_t* x, int64_t* y, int n) {
  const int i = threadIdx.x;
  if (i < n) y[i] = (int64_t)((wide)x[i] * 1000003 % 2147483647);  //~ "(wide)" -> "(unsigned __int256)": COMPILE_ERROR @here  //~ "(wide)" -> "(wyde)": COMPILE_ERROR @here
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  times_mod<<<1, 64>>>(x.data_ptr<int64_t>(), y.data_ptr<int64_t>(), x.numel());  //~ "x.data_ptr<int64_t>()" -> "x.data_ptr<int>()": COMPILE_ERROR @here
  return y;
}
