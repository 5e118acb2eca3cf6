/* Rows held in dynamic shared memory, more of it than a launch gets unasked.

def reference(x):
    return x / x.abs().amax(1, keepdim=True)

def inputs():
    return [torch.randn(3, 15000)]
*/
#include <torch/extension.h>

extern __shared__ float row[];

__global__ void normalise(const float* x, float* y, int cols) {
  __shared__ float largest[64];
  float most = 0;
  for (int c = threadIdx.x; c < cols; c += 64) {
    row[c] = x[blockIdx.x * cols + c];  //@row
    most = fmaxf(most, fabsf(row[c]));
  }
  largest[threadIdx.x] = most;
  __syncthreads();
  for (int t = 0; t < 64; ++t) most = fmaxf(most, largest[t]);
  for (int c = threadIdx.x; c < cols; c += 64) y[blockIdx.x * cols + c] = row[c] / most;
}

torch::Tensor forward(torch::Tensor x) {
  const int cols = x.size(1);
  auto y = torch::empty_like(x);
  const int bytes = cols * sizeof(float);
  cudaFuncSetAttribute(normalise, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);  //~ delete: BAD_LAUNCH  //~ ", bytes" -> ", bytes - 4": BAD_LAUNCH  //~ ", bytes" -> ", 228 * 1024": BAD_LAUNCH  //~ ", bytes" -> ", 227 * 1024": BAD_LAUNCH  //~ ", bytes" -> ", 227 * 1024 - 256": PASSED  //~ ", bytes" -> ", bytes / 2": BAD_LAUNCH  //~ "MaxDynamicSharedMemorySize, bytes" -> "PreferredSharedMemoryCarveout, 100": BAD_LAUNCH
  normalise<<<x.size(0), 64, bytes>>>(x.data_ptr<float>(), y.data_ptr<float>(), cols);  //~ "64, bytes" -> "64, bytes - 4": ILLEGAL_MEMORY_ACCESS @row  //~ "64, bytes" -> "64, 240000": BAD_LAUNCH  //~ "64, bytes" -> "64, 48 * 1024": ILLEGAL_MEMORY_ACCESS @row
  return y;
}
