/* A scaled copy whose launch must match the kernel's parameters in number and type.

def reference(x, s):
    return x * s + 2

def inputs():
    return [torch.randn(9, 23), torch.randn(9, 23)]
*/
#include <torch/extension.h>

constexpr int kThreads = 64;

__global__ void fma_shift(const float* __restrict__ x, const float* __restrict__ s,
                          float* __restrict__ out, float shift, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    out[i] = fmaf(x[i], s[i], shift);
}

torch::Tensor forward(torch::Tensor x, torch::Tensor s) {
  torch::Tensor out = torch::empty_like(x);
  int n = static_cast<int>(x.numel());  //~ delete: COMPILE_ERROR @count
  const float* px = x.data_ptr<float>();  //~ "const float*" -> "const double*": COMPILE_ERROR @here  //~ "x.data_ptr<float>()" -> "x.data_ptr<float>": COMPILE_ERROR @here  //~ "x.data_ptr" -> "x->data_ptr": COMPILE_ERROR @here
  const float* ps = s.data_ptr<float>();  //~ delete: COMPILE_ERROR @count
  fma_shift<<<2, kThreads>>>(px, ps, out.data_ptr<float>(), 2.0f, n);  //@count  //~ ", n);" -> ");": COMPILE_ERROR @here  //~ "px, ps," -> "px,": COMPILE_ERROR @here  //~ "(px, ps," -> "(x, ps,": COMPILE_ERROR @here  //~ "2.0f, n" -> "2.0f, n, 0": COMPILE_ERROR @here  //~ "out.data_ptr<float>()" -> "out.data_ptr<at::Half>()": COMPILE_ERROR @here  //~ "2, kThreads" -> "2, kBlock": COMPILE_ERROR @here  //~ "fma_shift<<<" -> "fma_shft<<<": COMPILE_ERROR @here
  return out;
}
