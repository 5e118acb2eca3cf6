/* An error of CUDA that nobody takes is thrown by torch's next check, which a GPU's fill makes.

def reference(x):
    return x + 4

def inputs():
    return [torch.randn(90)]
*/
#include <torch/extension.h>

__global__ void plus_four(const float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] + 4;
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  plus_four<<<1, 1025>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  if (cudaGetLastError() != cudaSuccess)  //~ "cudaGetLastError" -> "cudaPeekAtLastError": PASSED  //~ "cudaGetLastError" -> "cudaDeviceSynchronize": BAD_LAUNCH
    plus_four<<<1, 1024>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());  //~ delete: BAD_LAUNCH
  cudaMemset(nullptr, 0, 4);
  cudaFree(y.data_ptr<float>() + 1);
  cudaSetDevice(99);
  cudaGetLastError();  //~ delete: RUNTIME_ERROR
  return y;
}
