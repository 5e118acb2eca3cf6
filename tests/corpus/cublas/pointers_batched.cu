/* A batch whose matrices lie at addresses that a kernel writes into device memory.

def reference(x, w, which):
    return torch.stack([x[i] @ w[int(which[i])] for i in range(x.shape[0])])

def inputs():
    return [torch.randn(5, 6, 7), torch.randn(3, 7, 9), torch.tensor([2, 0, 1, 1, 2])]
*/
#include <ATen/cuda/CUDAContext.h>
#include <cublas_v2.h>
#include <torch/extension.h>

struct Shape {
  int batch, m, n, k;
};

__global__ void addresses(const float** list, const float* x, const float* w, float* y,
                          const int64_t* which, Shape s) {
  const int i = threadIdx.x;
  if (i >= s.batch) return;  //~ delete: ILLEGAL_MEMORY_ACCESS
  list[i] = w + which[i] * s.k * s.n;  //~ "which[i]" -> "i": ILLEGAL_MEMORY_ACCESS  //~ " * s.k * s.n" -> " * s.k": WRONG_VALUES
  list[s.batch + i] = x + i * s.m * s.k;
  list[2 * s.batch + i] = y + i * s.m * s.n;  //~ " * s.m * s.n" -> " * s.m": DATA_RACE
}

torch::Tensor forward(torch::Tensor x, torch::Tensor w, torch::Tensor which) {
  const Shape s{(int)x.size(0), (int)x.size(1), (int)w.size(2), (int)x.size(2)};
  auto y = torch::empty({s.batch, s.m, s.n}, x.options());
  auto list = torch::empty({3 * s.batch}, x.options().dtype(torch::kInt64));  //~ "x.options().dtype(torch::kInt64)" -> "torch::kInt64": ILLEGAL_MEMORY_ACCESS
  auto p = reinterpret_cast<const float**>(list.data_ptr<int64_t>());
  addresses<<<1, 32>>>(p, x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(),  //~ "1, 32" -> "1, 4": ILLEGAL_MEMORY_ACCESS
                       which.data_ptr<int64_t>(), s);
  const float one = 1.0f, zero = 0.0f;
  auto handle = at::cuda::getCurrentCUDABlasHandle();
  auto status = cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, s.n, s.m, s.k, &one, p, s.n,
                                   p + s.batch, s.k, &zero, const_cast<float**>(p + 2 * s.batch), s.n,
                                   s.batch);  //~ "s.batch" -> "s.batch + 1": ILLEGAL_MEMORY_ACCESS
  TORCH_CHECK(status == CUBLAS_STATUS_SUCCESS);
  return y;
}
