/* A launch beyond CUDA's limits does not run; without a check its output is never written.

def reference(x):
    return x.sign()

def inputs():
    return [torch.randn(12, 20, 5)]
*/
#include <torch/extension.h>

__global__ void sign(const float* x, float* y, int n) {
  const int block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const int thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int i = block * blockDim.x * blockDim.y * blockDim.z + thread;
  if (i >= 0 && i < n) y[i] = (x[i] > 0) - (x[i] < 0);
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const unsigned n = x.numel();
  const dim3 grid(3, 2, 4);  //~ "3, 2, 4" -> "n - n": BAD_LAUNCH  //~ "3, 2, 4" -> "3, 0": BAD_LAUNCH  //~ "3, 2, 4" -> "2, 65536": BAD_LAUNCH  //~ "3, 2, 4" -> "1, 2, 65536": BAD_LAUNCH  //~ "3, 2, 4" -> "2147483648u": BAD_LAUNCH  //~ "3, 2, 4" -> "n - 1300": BAD_LAUNCH  //~ "3, 2, 4" -> "2, 1200": PASSED
  const dim3 block(4, 8, 2);  //~ "4, 8, 2" -> "1025": BAD_LAUNCH  //~ "4, 8, 2" -> "1, 1025": BAD_LAUNCH  //~ "4, 8, 2" -> "1, 1, 65": BAD_LAUNCH  //~ "4, 8, 2" -> "32, 16, 3": BAD_LAUNCH  //~ "4, 8, 2" -> "16, 0": BAD_LAUNCH  //~ "4, 8, 2" -> "16, 16, 4": PASSED  //~ "4, 8, 2" -> "1, 1, 64": PASSED  //~ "4, 8, 2" -> "1024": PASSED
  sign<<<grid, block>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
