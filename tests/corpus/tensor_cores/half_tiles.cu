/* A product of half matrices: one warp a tile of 16 x 16, straight from global memory.

def reference(a, b):
    return a.float() @ b.float()

def inputs():
    return [torch.randn(48, 32).half(), torch.randn(32, 64).half()]
*/
#include <mma.h>
#include <torch/extension.h>

using namespace nvcuda;

__global__ void multiply(const half* a, const half* b, float* c, int M, int N, int K) {
  const int row = blockIdx.y * 16, col = blockIdx.x * 16;
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;  //~ "wmma::row_major" -> "wmma::col_major": WRONG_VALUES
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;  //~ ", wmma::row_major" -> "": COMPILE_ERROR
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);  //~ delete: WRONG_VALUES
  for (int k = 0; k < K; k += 16) {
    wmma::load_matrix_sync(fa, a + row * K + k, K);  //~ "row * K" -> "(row + 1) * K": ILLEGAL_MEMORY_ACCESS @here  //~ ", K)" -> ", N)": ILLEGAL_MEMORY_ACCESS @here
    wmma::load_matrix_sync(fb, b + k * N + col, N);
    wmma::mma_sync(sum, fa, fb, sum);  //~ "fa, fb" -> "fb, fa": COMPILE_ERROR @here
  }
  wmma::store_matrix_sync(c + row * N + col, sum, N, wmma::mem_row_major);  //~ "mem_row_major" -> "mem_col_major": WRONG_VALUES  //~ ", N, " -> ", K, ": DATA_RACE @here
}

torch::Tensor forward(torch::Tensor a, torch::Tensor b) {
  const int M = a.size(0), K = a.size(1), N = b.size(1);
  auto c = torch::empty({M, N}, a.options().dtype(torch::kFloat));
  dim3 grid(N / 16, M / 16);
  multiply<<<grid, 32>>>(reinterpret_cast<const half*>(a.data_ptr<at::Half>()),  //~ "32>>>" -> "16>>>": DIVERGENT_BARRIER
                         reinterpret_cast<const half*>(b.data_ptr<at::Half>()),
                         c.data_ptr<float>(), M, N, K);
  return c;
}
