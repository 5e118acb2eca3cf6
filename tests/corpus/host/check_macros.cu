/* The macros with which extensions check their arguments.

def reference(x, y):
    return x * y - y

def inputs():
    return [torch.randn(9, 14), torch.randn(9, 14)]
*/
#include <torch/extension.h>

#define CHECK_CUDA(x) TORCH_CHECK(x.is_cuda(), #x " must be a CUDA tensor")  //~ "x.is_cuda()" -> "!x.is_cuda()": RUNTIME_ERROR  //~ "x.is_cuda()" -> "x.is_cpu()": RUNTIME_ERROR
#define CHECK_CONTIGUOUS(x) TORCH_CHECK(x.is_contiguous(), #x " must be contiguous")
#define CHECK_INPUT(x) \
  CHECK_CUDA(x);       \
  CHECK_CONTIGUOUS(x)

__global__ void combine(const float* x, const float* y, float* z, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = x[i] * y[i] - y[i];  //@combine
}

torch::Tensor combined(torch::Tensor x, torch::Tensor y) {
  CHECK_INPUT(x);  //@x
  CHECK_INPUT(y);
  TORCH_CHECK(x.device() == y.device(), "x and y must be on one device");
  TORCH_CHECK(x.scalar_type() == torch::kFloat32);  //~ "kFloat32" -> "kFloat64": RUNTIME_ERROR
  auto z = torch::empty_like(x);
  const int n = x.numel();
  combine<<<(n + 31) / 32, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), z.data_ptr<float>(), n);
  return z;
}

torch::Tensor forward(torch::Tensor x, torch::Tensor y) {
  return combined(x, y);  //~ "(x, y)" -> "(x.cpu(), y)": RUNTIME_ERROR  //~ "(x, y)" -> "(x, y.t().contiguous().t())": RUNTIME_ERROR  //~ "(x, y)" -> "(x.cpu().cuda(), y)": PASSED  //~ "(x, y)" -> "(x, torch::ones_like(y, torch::kCPU))": RUNTIME_ERROR
}
