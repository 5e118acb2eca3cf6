/* Neighbour differences where threads past the end leave before the barrier, which is allowed.

def reference(x):
    return x - x.roll(1, 1)

def inputs():
    return [torch.randn(3, 75)]
*/
#include <torch/extension.h>

__global__ void differences(const float* x, float* y, int width) {
  __shared__ float s[96];
  const int i = threadIdx.x;
  if (i >= width) return;  // exited threads count as arrived  //~ delete: DATA_RACE
  s[i] = x[blockIdx.x * width + i];
  __syncthreads();  //~ delete: DATA_RACE  //~ "__syncthreads()" -> "if (i < 40) __syncthreads(); else { __syncwarp(); __syncthreads(); }": DIVERGENT_BARRIER
  const float left = s[i > 0 ? i - 1 : width - 1];  //~ "i > 0 ? i - 1 : width - 1" -> "i - 1": ILLEGAL_MEMORY_ACCESS @here
  y[blockIdx.x * width + i] = s[i] - left;
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  differences<<<x.size(0), 96>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));  //~ "96>>>" -> "64>>>": NON_FINITE
  return y;
}
