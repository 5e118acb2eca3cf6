/* Two kernels on torch's current stream, under a device guard, with every launch checked.

def reference(x):
    return (x + 1) * 3

def inputs():
    return [torch.randn(4, 50)]
*/
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

__global__ void add(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + 1;  //~ delete: NON_FINITE
}
__global__ void times(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] *= 3;  //~ "if (i < n) " -> "": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(const torch::Tensor& x) {
  c10::cuda::CUDAGuard guard(x.device());
  const auto stream = at::cuda::getCurrentCUDAStream(x.get_device());
  auto y = torch::empty_like(x);
  const int n = static_cast<int>(x.numel());
  const dim3 block(64), grid((n + block.x - 1) / block.x);
  add<<<grid, block, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);  //~ "grid, block" -> "grid, 2000": BAD_LAUNCH
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  times<<<grid, block, 0, stream.stream()>>>(y.data_ptr<float>(), n);  //~ delete: WRONG_VALUES
  AT_CUDA_CHECK(cudaGetLastError());
  C10_CUDA_CHECK(cudaStreamSynchronize(stream));
  return y;
}
