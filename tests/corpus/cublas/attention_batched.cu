/* Attention: two strided batches of products around a softmax kernel, a warp a row.

def reference(q, k, v):
    return ((q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5).softmax(-1) @ v

def inputs():
    return [torch.randn(2, 3, 11, 16), torch.randn(2, 3, 18, 16), torch.randn(2, 3, 18, 16)]
*/
#include <ATen/cuda/CUDAContext.h>
#include <cublas_v2.h>
#include <torch/extension.h>

__global__ void softmax_warp(float* s, int rows, int width) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;  //~ delete: ILLEGAL_MEMORY_ACCESS
  s += row * width;
  float best = -INFINITY, sum = 0.f;
  for (int i = threadIdx.x; i < width; i += 32) best = fmaxf(best, s[i]);
  for (int d = 16; d; d >>= 1) best = fmaxf(best, __shfl_xor_sync(~0u, best, d));
  for (int i = threadIdx.x; i < width; i += 32) sum += s[i] = expf(s[i] - best);
  for (int d = 16; d; d >>= 1) sum += __shfl_xor_sync(~0u, sum, d);  //~ delete: WRONG_VALUES
  for (int i = threadIdx.x; i < width; i += 32) s[i] /= sum;
}

torch::Tensor forward(torch::Tensor q, torch::Tensor k, torch::Tensor v) {
  const int heads = q.size(0) * q.size(1), n = q.size(2), m = k.size(2), d = q.size(3);
  auto scores = torch::empty({heads, n, m}, q.options());
  auto out = torch::empty_like(q);
  auto stream = at::cuda::getCurrentCUDAStream();
  cublasHandle_t blas = at::cuda::getCurrentCUDABlasHandle();
  cublasSetStream(blas, stream);
  const float scale = 1.0f / sqrtf(d), one = 1, zero = 0;  //~ " / sqrtf(d)" -> "": WRONG_VALUES
  auto status = cublasSgemmStridedBatched(
      blas, CUBLAS_OP_T, CUBLAS_OP_N, m, n, d, &scale, k.data_ptr<float>(), d, m * d,  //~ "d, m * d" -> "d, m * d + 1": ILLEGAL_MEMORY_ACCESS  //~ "d, m * d" -> "d, n * d": WRONG_VALUES
      q.data_ptr<float>(), d, n * d, &zero, scores.data_ptr<float>(), m, n * m, heads);  //~ "n * m, heads" -> "m, heads": DATA_RACE  //~ "n * m, heads" -> "n * m, heads - 1": NON_FINITE
  TORCH_CHECK(status == CUBLAS_STATUS_SUCCESS, cublasGetStatusString(status));
  softmax_warp<<<(heads * n + 3) / 4, dim3(32, 4), 0, stream>>>(scores.data_ptr<float>(), heads * n, m);  //~ delete: WRONG_VALUES
  status = cublasSgemmStridedBatched(
      blas, CUBLAS_OP_N, CUBLAS_OP_N, d, n, m, &one, v.data_ptr<float>(), d, m * d,
      scores.data_ptr<float>(), m, n * m, &zero, out.data_ptr<float>(), d, n * d, heads);
  TORCH_CHECK(status == CUBLAS_STATUS_SUCCESS, cublasGetStatusString(status));
  return out;
}
