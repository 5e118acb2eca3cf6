/* A kernel reads a contiguous copy of its argument, which must live until the launch.

def reference(x):
    return x.t() * 2

def inputs():
    return [torch.randn(7, 11)]
*/
#include <torch/extension.h>

__global__ void twice(const float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = 2 * x[i];  //@twice
}

torch::Tensor forward(torch::Tensor x) {
  auto turned = x.t();
  const torch::Tensor columns = turned.contiguous();  //~ "turned.contiguous()" -> "turned": WRONG_VALUES
  const float* from = columns.data_ptr<float>();  //~ "columns.data_ptr<float>()" -> "turned.contiguous().data_ptr<float>()": ILLEGAL_MEMORY_ACCESS @twice gpu: PASSED
  auto y = torch::empty({x.size(1), x.size(0)}, x.options());
  twice<<<1, 32>>>(from, y.data_ptr<float>(), x.numel());  //~ "from, y" -> "from, torch::empty_like(y)": NON_FINITE
  return y;
}
