/* A linear layer by one cublasSgemm: row-major y = x w^T is, read by columns, y^T = w x^T.

def reference(x, w):
    return x @ w.t()

def inputs():
    return [torch.randn(33, 70), torch.randn(21, 70)]
*/
#include <ATen/cuda/CUDAContext.h>
#include <cublas_v2.h>
#include <torch/extension.h>

torch::Tensor forward(torch::Tensor x, torch::Tensor w) {
  const int batch = x.size(0), in = x.size(1), out = w.size(0);
  auto y = torch::empty({batch, out}, x.options());
  const float one = 1.f, zero = 0.f;  //~ "zero = 0.f" -> "zero = 1.f": NON_FINITE  //~ "one = 1.f" -> "one = 2.f": WRONG_VALUES
  cublasHandle_t handle = at::cuda::getCurrentCUDABlasHandle();
  TORCH_CUDABLAS_CHECK(cublasSgemm(
      handle, CUBLAS_OP_T, CUBLAS_OP_N, out, batch, in, &one,  //~ "CUBLAS_OP_T, CUBLAS_OP_N" -> "CUBLAS_OP_N, CUBLAS_OP_T": ILLEGAL_MEMORY_ACCESS  //~ "out, batch, in" -> "batch, out, in": RUNTIME_ERROR
      w.data_ptr<float>(), in,  //~ ", in," -> ", in - 1,": RUNTIME_ERROR  //~ ", in," -> ", in + 1,": ILLEGAL_MEMORY_ACCESS
      x.data_ptr<float>(), in, &zero,  //~ "x.data_ptr<float>()" -> "x.cpu().data_ptr<float>()": ILLEGAL_MEMORY_ACCESS
      y.data_ptr<float>(), out));  //~ ", out" -> ", batch": ILLEGAL_MEMORY_ACCESS  //~ "y.data" -> "x.data": DATA_RACE
  return y;
}
