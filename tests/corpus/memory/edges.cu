/* A difference, a ratio and a reversal, side by side in one kernel that checks every edge.

def reference(x, y):
    return torch.cat([x[:1], x[1:] - x[:-1]]), y.flip(0) / x

def inputs():
    return [torch.rand(67) + 1, torch.rand(67) + 1]
*/
#include <torch/extension.h>

__global__ void edges(const float* __restrict__ x, const float* __restrict__ y, float* __restrict__ d,
                      float* __restrict__ r, int n) {
  const int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {  //~ "i < n" -> "i <= n": ILLEGAL_MEMORY_ACCESS
    d[i] = i == 0 ? x[0] : x[i] - x[i - 1];  //~ "i == 0 ? x[0] : " -> "": ILLEGAL_MEMORY_ACCESS @here  //~ "x[i - 1]" -> "x[i + 1]": ILLEGAL_MEMORY_ACCESS @here  //~ "x[i - 1]" -> "x[i - 100]": ILLEGAL_MEMORY_ACCESS @here
    r[i] = y[n - 1 - i] / x[i];  //~ "n - 1 - i" -> "n - i": ILLEGAL_MEMORY_ACCESS @here  //~ "r[i]" -> "r[i * 4]": ILLEGAL_MEMORY_ACCESS @here  //~ "r[i]" -> "d[i]": WRONG_VALUES
  }
}

std::vector<torch::Tensor> forward(torch::Tensor x, torch::Tensor y) {
  auto d = torch::empty_like(x), r = torch::empty_like(y);
  const int n = x.numel();  //~ "x.numel()" -> "x.nbytes()": ILLEGAL_MEMORY_ACCESS
  edges<<<2, 20>>>(x.data_ptr<float>(), y.data_ptr<float>(), d.data_ptr<float>(), r.data_ptr<float>(), n);
  return {d, r};
}
