/* a b in double precision on tensor cores, 8 x 8 x 4; warps without a tile leave as a whole.

def reference(a, b):
    return a @ b

def inputs():
    return [torch.randn(24, 12).double(), torch.randn(12, 16).double()]
*/
#include <mma.h>
#include <torch/extension.h>

namespace w = nvcuda::wmma;

__global__ void dgemm_wmma(const double* a, const double* b, double* c, int tiles, int n, int k) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (warp >= tiles) return;  //~ "warp >= tiles" -> "warp >= tiles || threadIdx.x == 5": DIVERGENT_BARRIER  //~ delete: ILLEGAL_MEMORY_ACCESS
  const int i = warp / (n / 8) * 8, j = warp % (n / 8) * 8;
  w::fragment<w::matrix_a, 8, 8, 4, double, w::row_major> x;
  w::fragment<w::matrix_b, 8, 8, 4, double, w::row_major> y;
  w::fragment<w::accumulator, 8, 8, 4, double> z;
  w::fill_fragment(z, 0.0);
  for (int d = 0; d < k; d += 4) {
    w::load_matrix_sync(x, a + i * k + d, k);  //@next
    w::load_matrix_sync(y, b + d * n + j, n);
    if (i == 0 || threadIdx.x % 2 == 0 || n > 8) w::mma_sync(z, x, y, z);  //~ " || n > 8" -> "": DIVERGENT_BARRIER @next
  }
  w::store_matrix_sync(c + i * n + j, z, n, w::mem_row_major);  //~ "c + i * n + j" -> "c + i * n + 2 * j": DATA_RACE
}

torch::Tensor forward(torch::Tensor a, torch::Tensor b) {
  const int m = a.size(0), n = b.size(1), k = a.size(1), tiles = m / 8 * (n / 8);
  auto c = torch::empty({m, n}, a.options());
  dgemm_wmma<<<(tiles + 3) / 4, 128>>>(a.data_ptr<double>(), b.data_ptr<double>(),
                                       c.data_ptr<double>(), tiles, n, k);
  return c;
}
