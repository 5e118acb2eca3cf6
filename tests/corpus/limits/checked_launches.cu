/* Launches that are checked: what cannot run is seen at once, and may be tried smaller.

def reference(x):
    return x.square().sum(1)

def inputs():
    return [torch.randn(17, 40)]
*/
#include <torch/extension.h>

__global__ void norms(const float* x, float* y, int rows, int cols) {
  const int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float sum = 0;
  for (int c = 0; c < cols; ++c) sum += x[r * cols + c] * x[r * cols + c];
  y[r] = sum;
}

torch::Tensor forward(torch::Tensor x) {
  const int rows = x.size(0), cols = x.size(1);
  auto y = torch::empty({rows}, x.options());
  int threads = 4096;
  cudaError_t error;
  do {
    threads /= 2;
    norms<<<1, threads>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, cols);  //~ "<<<1, threads" -> "<<<1, 2 * threads + 2000": BAD_LAUNCH
    error = cudaGetLastError();
  } while (error != cudaSuccess && threads > 32);  //~ "error != cudaSuccess" -> "error == cudaSuccess": BAD_LAUNCH  //~ "threads > 32" -> "threads > 2048": BAD_LAUNCH
  TORCH_CHECK(error == cudaSuccess, cudaGetErrorString(error));  //~ "error == cudaSuccess" -> "threads > 1024": BAD_LAUNCH
  return y;
}
