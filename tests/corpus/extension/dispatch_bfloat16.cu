/* A square in at::BFloat16, by AT_DISPATCH_FLOATING_TYPES_AND2 on the current stream.

def reference(x):
    return (x.float() ** 2).bfloat16()

def inputs():
    return [torch.randn(5, 37).bfloat16()]
*/
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>

template <typename scalar_t>
__global__ void square(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t n) {
  int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (i < n) {  //~ "i < n" -> "true": ILLEGAL_MEMORY_ACCESS
    float v = static_cast<float>(x[i]);
    y[i] = static_cast<scalar_t>(v * v);  //~ "v * v" -> "v": WRONG_VALUES
  }
}

at::Tensor forward(const at::Tensor& x) {
  TORCH_CHECK(x.is_cuda(), "x must be a CUDA tensor");  //~ "x.is_cuda()" -> "x.is_cpu()": RUNTIME_ERROR
  TORCH_CHECK(x.is_contiguous(), "x must be contiguous");
  at::Tensor y = at::empty_like(x);
  const int64_t n = x.numel();
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(),
                                  "square", [&] {
    square<scalar_t><<<(n + 255) / 256, 256, 0, stream>>>(x.data_ptr<scalar_t>(),
                                                          y.data_ptr<scalar_t>(), n);
  });
  AT_CUDA_CHECK(cudaGetLastError());
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, "square (CUDA)");
}
