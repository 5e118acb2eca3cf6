/* Batched products by cuBLAS with torch's handle, then a bias by a kernel: y[b] = x[b] w + bias.

def reference(x, w, bias):
    return x @ w + bias

def inputs():
    return [torch.randn(3, 6, 10), torch.randn(10, 4), torch.randn(4)]
*/
#include <ATen/cuda/CUDAContext.h>
#include <cublas_v2.h>
#include <torch/extension.h>

#define CUBLAS_CHECK(call)                                                       \
  do {                                                                           \
    cublasStatus_t status = (call);                                              \
    TORCH_CHECK(status == CUBLAS_STATUS_SUCCESS, "cuBLAS failed: ", (int)status); \
  } while (0)

__global__ void add_bias(float* y, const float* bias, int n, int cols) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += bias[i % cols];  //~ "i % cols" -> "i": ILLEGAL_MEMORY_ACCESS @here  //~ delete: WRONG_VALUES
}

torch::Tensor forward(torch::Tensor x, torch::Tensor w, torch::Tensor bias) {
  const int batch = x.size(0), rows = x.size(1), depth = x.size(2), cols = w.size(1);
  auto y = torch::empty({batch, rows, cols}, x.options());
  const float alpha = 1.0f, beta = 0.0f;
  cublasHandle_t handle = at::cuda::getCurrentCUDABlasHandle();
  CUBLAS_CHECK(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, cols, rows, depth, &alpha,
                                         w.data_ptr<float>(), cols, 0,
                                         x.data_ptr<float>(), depth, rows * depth, &beta,  //~ "rows * depth" -> "2 * rows * depth": ILLEGAL_MEMORY_ACCESS
                                         y.data_ptr<float>(), cols, rows * cols, batch));  //~ "cols, rows * cols" -> "cols - 1, rows * cols": RUNTIME_ERROR
  add_bias<<<3, 32>>>(y.data_ptr<float>(), bias.data_ptr<float>(), y.numel(), cols);
  return y;
}
