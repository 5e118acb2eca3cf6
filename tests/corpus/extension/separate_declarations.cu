/* A file in the form of two: declarations first, the C++ side that checks, the CUDA side at the end.

def reference(x):
    return torch.nn.functional.leaky_relu(x, 0.2)

def inputs():
    return [torch.randn(3, 3, 10)]
*/
#include <torch/extension.h>

#include <vector>

// The CUDA side's declarations.
at::Tensor leaky_cuda_forward(const at::Tensor& input, const float slope);

#define CHECK_CUDA(x) TORCH_CHECK(x.device().is_cuda(), #x " must be a CUDA tensor")
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")

at::Tensor forward(const at::Tensor& input) {
  CHECK_CUDA(input);  //~ "CHECK_CUDA(input)" -> "CHECK_CUDA(input.cpu())": RUNTIME_ERROR
  CHECK_CONTIGUOUS(input);
  return leaky_cuda_forward(input, 0.2f);  //~ "0.2f" -> "0.1f": WRONG_VALUES
}

// The CUDA side.
__global__ void leaky(const float* x, float* y, float slope, size_t n) {
  for (size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)  //~ "i < n" -> "i <= n": ILLEGAL_MEMORY_ACCESS
    y[i] = x[i] > 0 ? x[i] : slope * x[i];
}

at::Tensor leaky_cuda_forward(const at::Tensor& input, const float slope) {  //~ "const float slope" -> "const double slope": LINK_ERROR
  auto output = at::empty_like(input);
  leaky<<<2, 32>>>(input.data_ptr<float>(), output.data_ptr<float>(), slope, input.numel());
  return output;
}
