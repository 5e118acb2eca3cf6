/* Static and dynamic shared memory have one limit together.

def reference(x):
    return x.flip(1)

def inputs():
    return [torch.randn(4, 600)]
*/
#include <torch/extension.h>

__global__ void reverse(const float* x, float* y, int cols) {
  extern __shared__ float odd[];
  __shared__ float even[8192];  //~ "8192" -> "300": PASSED
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    const float v = x[blockIdx.x * cols + c];
    if (c % 2) odd[c / 2] = v; else even[c / 2] = v;
  }
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    const int from = cols - 1 - c;
    y[blockIdx.x * cols + c] = from % 2 ? odd[from / 2] : even[from / 2];
  }
}

torch::Tensor forward(torch::Tensor x) {
  const int cols = x.size(1);
  auto y = torch::empty_like(x);
  const int most = 16384;  //~ "16384" -> "16388": BAD_LAUNCH  //~ "16384" -> "48 * 1024": BAD_LAUNCH
  reverse<<<x.size(0), 96, most>>>(x.data_ptr<float>(), y.data_ptr<float>(), cols);
  return y;
}
