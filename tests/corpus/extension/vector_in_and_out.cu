/* A list of tensors in and out, one launch each: the norm of every tensor, and the tensor over it.

def reference(xs):
    return [x / x.norm() for x in xs]

def inputs():
    return [[torch.randn(5, 7), torch.randn(100), torch.randn(2, 3, 4)]]
*/
#include <torch/extension.h>

__global__ void normalise(const float* x, float* y, int n) {
  __shared__ float squares;
  if (threadIdx.x == 0) squares = 0;
  __syncthreads();
  float mine = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) mine += x[i] * x[i];
  atomicAdd(&squares, mine);
  __syncthreads();  //~ delete: WRONG_VALUES gpu: PASSED
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] * rsqrtf(squares);  //~ "rsqrtf" -> "sqrtf": WRONG_VALUES
}

std::vector<at::Tensor> forward(std::vector<at::Tensor> xs) {
  std::vector<at::Tensor> ys;
  ys.reserve(xs.size());
  for (const auto& x : xs) {
    ys.push_back(at::empty_like(x));  //~ "at::empty_like(x)" -> "at::empty({x.numel()}, x.options())": WRONG_SHAPE
    normalise<<<1, 64>>>(x.data_ptr<float>(), ys.back().data_ptr<float>(), x.numel());
  }
  return ys;
}
