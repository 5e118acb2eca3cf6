// Products of one warp, of every type and shape; see test_tensor_cores.py.
#include <mma.h>
using namespace nvcuda;

template <int m, int n, int k, class T, class S, class C, class Rows, class Columns>
__global__ void product(const S* a, const S* b, C* c, int lda, int ldb, wmma::layout_t layout, int ldc) {
  wmma::fragment<wmma::matrix_a, m, n, k, T, Rows> fa;
  wmma::fragment<wmma::matrix_b, m, n, k, T, Columns> fb;
  wmma::fragment<wmma::accumulator, m, n, k, C> sum;
  wmma::load_matrix_sync(fa, a, lda);
  wmma::load_matrix_sync(fb, b, ldb);
  wmma::load_matrix_sync(sum, c, ldc, layout);
  wmma::mma_sync(sum, fa, fb, sum);
  wmma::store_matrix_sync(c, sum, ldc, layout);
}

// All four layouts; a is m x k, b is k x n, c is m x n, each row-major or col-major.
template <int m, int n, int k, class T, class S, class C>
void by_layout(int rows, int columns, const void* a, const void* b, void* c, int accumulator) {
  using R = wmma::row_major;
  using L = wmma::col_major;
  const S* x = (const S*)a; const S* y = (const S*)b; C* z = (C*)c;
  const int lda = rows ? k : m, ldb = columns ? n : k, ldc = accumulator ? n : m;
  const auto layout = accumulator ? wmma::mem_row_major : wmma::mem_col_major;
  if (rows && columns) product<m, n, k, T, S, C, R, R><<<1, 32>>>(x, y, z, lda, ldb, layout, ldc);
  if (rows && !columns) product<m, n, k, T, S, C, R, L><<<1, 32>>>(x, y, z, lda, ldb, layout, ldc);
  if (!rows && columns) product<m, n, k, T, S, C, L, R><<<1, 32>>>(x, y, z, lda, ldb, layout, ldc);
  if (!rows && !columns) product<m, n, k, T, S, C, L, L><<<1, 32>>>(x, y, z, lda, ldb, layout, ldc);
}
#define LAUNCHER(name, m, n, k, T, S, C) \
  extern "C" void name##_##m##x##n##x##k(int r, int s, const void* a, const void* b, void* c, int t) { \
    by_layout<m, n, k, T, S, C>(r, s, a, b, c, t);                                                     \
  }
#define SHAPES(name, T, C)              \
  LAUNCHER(name, 16, 16, 16, T, T, C)   \
  LAUNCHER(name, 32, 8, 16, T, T, C)    \
  LAUNCHER(name, 8, 32, 16, T, T, C)
SHAPES(half_float, half, float)
SHAPES(half_half, half, half)
SHAPES(bfloat, __nv_bfloat16, float)
SHAPES(schar, signed char, int)
SHAPES(uchar, unsigned char, int)
LAUNCHER(tf32, 16, 16, 8, wmma::precision::tf32, float, float)
LAUNCHER(dp, 8, 8, 4, double, double, double)

// Where lane l holds its i-th element of an accumulator of 16 x 16.
__global__ void places(float* matrix, float* held) {
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> f;
  wmma::load_matrix_sync(f, matrix, 16, wmma::mem_row_major);
  for (int i = 0; i < f.num_elements; ++i) held[threadIdx.x * 8 + i] = f.x[i];
}
extern "C" void run_places(float* matrix, float* held) { places<<<1, 32>>>(matrix, held); }

__global__ void sums(int* out, bool saturate) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> c;
  wmma::fill_fragment(a, 100);
  wmma::fill_fragment(b, 100);
  wmma::fill_fragment(c, 0x7ffffff0);
  wmma::mma_sync(c, a, b, c, saturate);
  wmma::store_matrix_sync(out, c, 16, wmma::mem_row_major);
}
extern "C" void run_sums(int* out, bool saturate) { sums<<<1, 32>>>(out, saturate); }

__global__ void to_tf32(const float* x, float* y, int n) {
  if (threadIdx.x < n) y[threadIdx.x] = wmma::__float_to_tf32(x[threadIdx.x]);
}
extern "C" void run_to_tf32(const float* x, float* y, int n) { to_tf32<<<1, 32>>>(x, y, n); }

__global__ void matrices(const half* a, const half* b, float* c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * n + k, n);
    wmma::load_matrix_sync(fb, b + k * n + blockIdx.x * 16, n);
    wmma::mma_sync(sum, fa, fb, sum);
  }
  wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, sum, n, wmma::mem_row_major);
}
extern "C" void run_matrices(const half* a, const half* b, float* c, int n) {
  matrices<<<dim3(n / 16, n / 16), 32>>>(a, b, c, n);
}
