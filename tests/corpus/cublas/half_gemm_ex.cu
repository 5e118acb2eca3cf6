/* Products of half and bfloat16 matrices by cublasGemmEx, summed in float.

def reference(a, b):
    return (a.float() @ b.float()).to(a.dtype)

def inputs():
    return [torch.randn(20, 48).half(), torch.randn(48, 12).half()]
*/
#include <ATen/cuda/CUDAContext.h>
#include <cublas_v2.h>
#include <torch/extension.h>

torch::Tensor forward(torch::Tensor a, torch::Tensor b) {
  TORCH_CHECK(a.is_cuda() && a.dim() == 2 && b.dim() == 2 && a.size(1) == b.size(0), "shapes");
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = at::empty({m, n}, a.options());
  const cudaDataType type = a.scalar_type() == at::kHalf ? CUDA_R_16F : CUDA_R_16BF;  //~ "at::kHalf ?" -> "at::kFloat ?": WRONG_VALUES
  float alpha = 1.0f, beta = 0.0f;  //~ "beta = 0.0f" -> "beta = 0.5f": NON_FINITE
  cublasStatus_t s = cublasGemmEx(at::cuda::getCurrentCUDABlasHandle(), CUBLAS_OP_N, CUBLAS_OP_N, n, m, k,
                                  &alpha, b.data_ptr(), type, n, a.data_ptr(), type, k, &beta,  //~ "b.data_ptr(), type, n, a.data_ptr(), type, k" -> "a.data_ptr(), type, n, b.data_ptr(), type, k": ILLEGAL_MEMORY_ACCESS  //~ "n, a.data_ptr(), type" -> "n, a.data_ptr(), CUDA_R_32F": RUNTIME_ERROR
                                  c.data_ptr(), type, n, CUBLAS_COMPUTE_32F,  //~ "type, n" -> "CUDA_R_32F, n": ILLEGAL_MEMORY_ACCESS  //~ "_32F" -> "_64F": RUNTIME_ERROR
                                  CUBLAS_GEMM_DEFAULT_TENSOR_OP);
  TORCH_CHECK(s == CUBLAS_STATUS_SUCCESS, "cublasGemmEx: ", cublasGetStatusString(s));
  return c;
}
