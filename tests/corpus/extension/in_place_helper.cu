/* A helper that changes a tensor in place and returns nothing, on a copy of the input.

def reference(x):
    return x + 1.5

def inputs():
    return [torch.randn(5, 37)]
*/
#include <c10/cuda/CUDAGuard.h>
#include <torch/extension.h>

__global__ void bump(float* data, int n, float by) {
  int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) data[i] += by;  //~ "i < n" -> "true": ILLEGAL_MEMORY_ACCESS @here
}

void bump_(torch::Tensor& x, float by) {
  const at::cuda::OptionalCUDAGuard guard(device_of(x));
  bump<<<(x.numel() + 31) / 32, 32>>>(x.data_ptr<float>(), x.numel(), by);
  C10_CUDA_CHECK(cudaGetLastError());
}

torch::Tensor forward(torch::Tensor x) {
  auto y = x.clone();
  bump_(y, 1.5f);  //~ delete: NO_KERNEL_LAUNCHED  //~ "1.5f" -> "2.5f": WRONG_VALUES
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward);
  m.def("bump_", &bump_, py::arg("x"), py::arg("by") = 1.0f);
}
