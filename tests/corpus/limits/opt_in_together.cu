/* The opt-in to more dynamic shared memory leaves room for what is static.

def reference(x):
    return x.roll(1, 1)

def inputs():
    return [torch.randn(2, 900)]
*/
#include <torch/extension.h>

__global__ void roll(const float* x, float* y, int cols) {
  extern __shared__ float tail[];
  __shared__ float head[8192];
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    const float v = x[blockIdx.x * cols + c];
    if (c < 700) head[c] = v; else tail[c - 700] = v;
  }
  __syncthreads();
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    const int from = (c + cols - 1) % cols;
    y[blockIdx.x * cols + c] = from < 700 ? head[from] : tail[from - 700];
  }
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int bytes = 199680;  //~ "199680" -> "200704": BAD_LAUNCH  //~ "199680" -> "232448": BAD_LAUNCH
  const cudaError_t error = cudaFuncSetAttribute(roll, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (error != cudaSuccess) cudaGetLastError();
  roll<<<x.size(0), 64, bytes>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}
