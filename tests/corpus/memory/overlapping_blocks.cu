/* Upsampling by repetition: every output belongs to one thread of one block.

def reference(x):
    return x.repeat_interleave(3)

def inputs():
    return [torch.randn(85)]
*/
#include <torch/extension.h>

__global__ void upsample(const float* x, float* y, int n, int factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;  //~ "blockDim.x" -> "(blockDim.x - 1)": PASSED  //~ "blockIdx.x * blockDim.x" -> "blockIdx.x": NON_FINITE
  if (i >= n) return;
  for (int j = 0; j < factor; ++j) {  //~ "j < factor" -> "j <= factor": DATA_RACE
    y[i * factor + j] = x[i];  //~ "i * factor + j" -> "i + j": DATA_RACE @here  //~ "i * factor + j" -> "i * factor + 1 + j": ILLEGAL_MEMORY_ACCESS @here
  }
}

torch::Tensor forward(torch::Tensor x) {
  const int factor = 3;
  auto y = torch::empty({x.numel() * factor}, x.options());
  upsample<<<6, 16>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel(), factor);
  return y;
}
