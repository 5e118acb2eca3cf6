/* x w^T by tiles of 32 x 8 and again, transposed, by tiles of 8 x 32: both must agree.

def reference(x, w):
    y = x.float() @ w.float().t()
    return y, y.t()

def inputs():
    return [torch.randn(64, 48).half(), torch.randn(32, 48).half()]
*/
#include <mma.h>
#include <torch/extension.h>
#include <vector>

using namespace nvcuda;

// out[i][j] = sum of p[i][k] q[j][k]
template <int M, int N>
__global__ void rows_times_rows(const half* p, const half* q, float* out, int cols, int depth) {
  wmma::fragment<wmma::matrix_a, M, N, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, M, N, 16, half, wmma::col_major> b;  //~ "col_major" -> "row_major": ILLEGAL_MEMORY_ACCESS @load
  wmma::fragment<wmma::accumulator, M, N, 16, float> c;
  wmma::fill_fragment(c, 0.f);
  const size_t i = blockIdx.x * M, j = blockIdx.y * N;
  for (int k = 0; k < depth; k += 16) {  //~ "k += 16" -> "k += 8": ILLEGAL_MEMORY_ACCESS @first  //~ "k < depth" -> "k < depth - 16": WRONG_VALUES
    wmma::load_matrix_sync(a, p + i * depth + k, depth);  //@first
    wmma::load_matrix_sync(b, q + j * depth + k, depth);  //@load  //~ "q + j * depth" -> "p + j * depth": ILLEGAL_MEMORY_ACCESS @here
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(out + i * cols + j, c, cols, wmma::mem_row_major);  //~ "c, cols" -> "c, N": DATA_RACE @here
}

std::vector<torch::Tensor> forward(torch::Tensor x, torch::Tensor w) {
  const int64_t m = x.size(0), n = w.size(0), k = x.size(1);
  auto y = torch::empty({m, n}, x.options().dtype(at::kFloat));
  auto z = torch::empty({n, m}, x.options().dtype(at::kFloat));
  auto px = (const half*)x.data_ptr(), pw = (const half*)w.data_ptr();
  rows_times_rows<32, 8><<<dim3(m / 32, n / 8), 32>>>(px, pw, y.data_ptr<float>(), n, k);  //~ "<32, 8>" -> "<32, 16>": COMPILE_ERROR
  rows_times_rows<8, 32><<<dim3(n / 8, m / 32), 32>>>(pw, px, z.data_ptr<float>(), m, k);  //~ "n / 8, m / 32" -> "m / 8, n / 32": ILLEGAL_MEMORY_ACCESS
  return {y, z};
}
