/* Column sums into an output that has to be zero first; else they start from memory nobody wrote.

def reference(x):
    return x.sum(0)

def inputs():
    return [torch.randn(20, 31)]
*/
#include <torch/extension.h>

__global__ void add_rows(const float* x, float* sums, int rows, int cols) {
  const int c = threadIdx.x;
  float sum = 0.0f;  //~ " = 0.0f" -> "": NON_FINITE
  if (c >= cols) return;
  for (int r = blockIdx.x; r < rows; r += gridDim.x) sum += x[r * cols + c];
  atomicAdd(&sums[c], sum);
}

torch::Tensor forward(torch::Tensor x) {
  auto sums = torch::zeros({x.size(1)}, x.options());  //~ "zeros" -> "empty": NON_FINITE
  add_rows<<<3, 32>>>(x.data_ptr<float>(), sums.data_ptr<float>(), x.size(0), x.size(1));
  return sums;
}
