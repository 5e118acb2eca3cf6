/* Elementwise work whose input and output may be one buffer, since each thread keeps to its element.

def reference(x):
    return torch.tanh(torch.tanh(x)) + 1

def inputs():
    return [torch.randn(5, 27)]
*/
#include <torch/extension.h>

__global__ void tanh_then_add(const float* in, float* out, float add, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = tanhf(in[i]) + add;  //~ "in[i]" -> "in[n - 1 - i]": DATA_RACE @here  //~ "in[i]" -> "in[i ^ 1]": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int n = x.numel(), blocks = (n + 63) / 64;
  float* p = y.data_ptr<float>();
  tanh_then_add<<<blocks, 64>>>(x.data_ptr<float>(), p, 0.0f, n);
  tanh_then_add<<<blocks, 64>>>(p, p, 1.0f, n);  // in place  //~ "(p, p, 1.0f, n)" -> "(p, p + 1, 1.0f, n - 1)": DATA_RACE  //~ "p, p, 1.0f" -> "p, x.data_ptr<float>(), 1.0f": WRONG_VALUES
  return y;
}
