#include <torch/extension.h>
#include <c10/cuda/CUDAGuard.h>

__global__ void bump(float* data, int n, float by) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) data[i] += by;
}

void forward(torch::Tensor& x, float by) {
  const at::cuda::OptionalCUDAGuard guard(device_of(x));
  bump<<<(x.numel() + 31) / 32, 32>>>(x.data_ptr<float>(), x.numel(), by);
  C10_CUDA_CHECK(cudaGetLastError());
}
