/* a^T + 3 b by cublasSgeam, then its rows' sums as a product with ones that a kernel writes.

def reference(a, b):
    c = a.t() + 3 * b
    return c, c.sum(1)

def inputs():
    return [torch.randn(19, 27), torch.randn(27, 19)]
*/
#include <ATen/cuda/CUDAContext.h>
#include <cublas_v2.h>
#include <torch/extension.h>

__global__ void fill(float* x, int n, float value) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < n) x[i] = value;  //~ "i < n" -> "i <= n": ILLEGAL_MEMORY_ACCESS @here
}

std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor a, torch::Tensor b) {
  const int rows = a.size(1), cols = a.size(0);  // of the result
  auto c = torch::empty_like(b);
  auto sums = torch::empty({rows}, a.options()), ones = torch::empty({cols}, a.options());
  fill<<<1, 32>>>(ones.data_ptr<float>(), cols, 1.f);  //~ delete: NON_FINITE
  auto h = at::cuda::getCurrentCUDABlasHandle();
  const float one = 1.f, three = 3.f, zero = 0.f;
  TORCH_CUDABLAS_CHECK(cublasSgeam(h, CUBLAS_OP_T, CUBLAS_OP_N, cols, rows, &one, a.data_ptr<float>(), rows, &three, b.data_ptr<float>(), cols, c.data_ptr<float>(), cols));  //~ "CUBLAS_OP_T, CUBLAS_OP_N" -> "CUBLAS_OP_N, CUBLAS_OP_N": ILLEGAL_MEMORY_ACCESS @here  //~ "&one, a" -> "&three, a": WRONG_VALUES  //~ "c.data_ptr<float>(), cols" -> "a.data_ptr<float>(), cols": DATA_RACE @here  //~ "cols, rows, &one" -> "cols, -rows, &one": RUNTIME_ERROR
  // By columns c is c^T: its rows' sums are the sums of columns.
  TORCH_CUDABLAS_CHECK(cublasSgemv(h, CUBLAS_OP_T, cols, rows, &one, c.data_ptr<float>(), cols,  //~ "CUBLAS_OP_T" -> "CUBLAS_OP_N": ILLEGAL_MEMORY_ACCESS
                                   ones.data_ptr<float>(), 1, &zero, sums.data_ptr<float>(), 1));
  return {c, sums};
}
