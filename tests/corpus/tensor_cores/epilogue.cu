/* relu(alpha a b + beta c): accumulators of half, scaled element by element with those of c.

def reference(a, b, c):
    return (0.5 * (a.float() @ b.float()) + 2.0 * c.float()).relu().half()

def inputs():
    return [torch.randn(32, 16).half(), torch.randn(16, 48).half(), torch.randn(32, 48).half()]
*/
#include <cuda_fp16.h>
#include <mma.h>
#include <torch/extension.h>

using namespace nvcuda;

struct Epilogue {
  float alpha, beta;
};

__global__ void scaled_product(const __half* a, const __half* b, const __half* c, __half* d,
                               int n, int k, Epilogue e) {
  using Acc = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;
  using AccHalf = wmma::fragment<wmma::accumulator, 16, 16, 16, __half>;
  static_assert(int(Acc::num_elements) == int(AccHalf::num_elements), "one mapping");
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::row_major> right;
  const int tile = blockIdx.x * (blockDim.x / warpSize) + threadIdx.x / warpSize;
  const int tiles = n / 16, i = tile / tiles * 16, j = tile % tiles * 16;
  Acc sum;
  AccHalf old;
  wmma::fill_fragment(sum, 0.0f);
  for (int p = 0; p < k; p += 16) {
    wmma::load_matrix_sync(left, a + i * k + p, k);
    wmma::load_matrix_sync(right, b + p * n + j, n);  //~ "n);" -> "n + 4);": ILLEGAL_MEMORY_ACCESS @here gpu: PASSED
    wmma::mma_sync(sum, left, right, sum);  //~ delete: WRONG_VALUES
  }
  wmma::load_matrix_sync(old, c + i * n + j, n, wmma::mem_row_major);  //~ "c + i * n" -> "d + i * n": WRONG_VALUES
  for (int t = 0; t < sum.num_elements; t++) {  //~ "sum.num_elements" -> "sum.num_elements / 2": WRONG_VALUES
    const float v = e.alpha * sum.x[t] + e.beta * __half2float(old.x[t]);  //~ "e.alpha * " -> "": WRONG_VALUES  //~ "e.beta * " -> "": WRONG_VALUES
    old.x[t] = __float2half(v > 0.f ? v : 0.f);
  }
  wmma::store_matrix_sync(d + i * n + j, old, n, wmma::mem_row_major);  //~ "old, n" -> "sum, n": COMPILE_ERROR @here
}

torch::Tensor forward(torch::Tensor a, torch::Tensor b, torch::Tensor c) {
  auto d = torch::empty_like(c);
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  auto half = [](const torch::Tensor& t) { return reinterpret_cast<__half*>(t.data_ptr()); };
  const int tiles = (m / 16) * (n / 16);
  scaled_product<<<tiles / 2, 64>>>(half(a), half(b), half(c), half(d), n, k, Epilogue{0.5f, 2.f});  //~ "tiles / 2," -> "tiles,": ILLEGAL_MEMORY_ACCESS
  return d;
}
