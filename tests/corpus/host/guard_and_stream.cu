/* A launch on torch's current stream under a device guard, and torch's check after it.

def reference(x):
    return x.abs().sqrt()

def inputs():
    return [torch.randn(300)]
*/
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

__global__ void root(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = sqrtf(fabsf(x[i]));
}

torch::Tensor forward(torch::Tensor x) {
  const at::cuda::OptionalCUDAGuard optional(at::device_of(x));
  const c10::cuda::CUDAGuard guard(x.device());  //~ "(x.device())" -> "(1)": RUNTIME_ERROR
  auto y = torch::empty_like(x);
  const cudaStream_t stream = at::cuda::getCurrentCUDAStream();  //~ "getCurrentCUDAStream()" -> "getDefaultCUDAStream().stream()": PASSED
  const int n = x.numel(), threads = at::cuda::getCurrentDeviceProperties()->maxThreadsPerBlock / 4;  //~ " / 4" -> " * 4": BAD_LAUNCH
  root<<<(n + threads - 1) / threads, threads, 0, stream>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  C10_CUDA_CHECK(cudaStreamSynchronize(stream));
  return y;
}
