/* at::Half storage as __half: intrinsics on reinterpreted pointers, two elements a thread.

def reference(x, y):
    return x * y + x

def inputs():
    return [torch.randn(64).half(), torch.randn(64).half()]
*/
#include <cuda_fp16.h>
#include <torch/extension.h>

__global__ void fused(const __half2* x, const __half2* y, __half2* z, int pairs) {
  const int i = threadIdx.x;
  if (i < pairs) z[i] = __hfma2(x[i], y[i], x[i]);  //~ "i < pairs" -> "true": ILLEGAL_MEMORY_ACCESS @here  //~ "y[i], x[i]" -> "y[i], y[i]": WRONG_VALUES
}

torch::Tensor forward(torch::Tensor x, torch::Tensor y) {
  TORCH_CHECK(x.scalar_type() == at::ScalarType::Half && x.numel() % 2 == 0);
  auto z = torch::empty_like(x);
  fused<<<1, 64>>>(reinterpret_cast<const __half2*>(x.data_ptr<at::Half>()),  //~ "data_ptr<at::Half>" -> "data_ptr<at::BFloat16>": RUNTIME_ERROR
                   reinterpret_cast<const __half2*>(y.data_ptr<c10::Half>()),
                   reinterpret_cast<__half2*>(z.data_ptr<at::Half>()), x.numel() / 2);
  return z;  //~ "return z" -> "return z.to(at::kFloat)": WRONG_DTYPE
}
