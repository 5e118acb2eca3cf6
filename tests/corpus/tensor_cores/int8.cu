/* Quantised product: 8-bit integers summed exactly in 32 bits, then scaled to float.

def reference(a, b, scale):
    return (a.int() @ b.int().t()).to(scale.dtype) * scale

def inputs():
    a = torch.randint(-128, 128, (32, 64), dtype=torch.int8)
    b = torch.randint(-128, 128, (32, 64), dtype=torch.int8)
    return [a, b, torch.rand(32) + 0.5]
*/
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>
#include <mma.h>
#include <torch/extension.h>

namespace {
using namespace nvcuda::wmma;

__global__ void __launch_bounds__(32) quantised(const int8_t* a, const int8_t* b, const float* scale,
                                                float* y, int n, int k) {
  __shared__ __align__(32) int tile[16][16];
  fragment<matrix_a, 16, 16, 16, signed char, row_major> fa;  //~ "signed char" -> "unsigned char": COMPILE_ERROR
  fragment<matrix_b, 16, 16, 16, signed char, col_major> fb;
  fragment<accumulator, 16, 16, 16, int> sum;
  fill_fragment(sum, 0);
  for (int d = 0; d < k; d += 16) {
    load_matrix_sync(fa, a + blockIdx.y * 16 * k + d, k);
    load_matrix_sync(fb, b + blockIdx.x * 16 * k + d, k);
    mma_sync(sum, fa, fb, sum);
  }
  store_matrix_sync(&tile[0][0], sum, 16, mem_row_major);  //~ "sum, 16" -> "sum, 20": ILLEGAL_MEMORY_ACCESS @here  //~ "mem_row_major" -> "mem_col_major": WRONG_VALUES
  __syncwarp();  //~ delete: DATA_RACE @read
  const int c = threadIdx.x % 16;
  for (int r = threadIdx.x / 16; r < 16; r += 2) {
    const int row = blockIdx.y * 16 + r, col = blockIdx.x * 16 + c;
    y[row * n + col] = tile[r][c] * scale[col];  //@read  //~ "scale[col]" -> "scale[row]": WRONG_VALUES
  }
}
}  // namespace

torch::Tensor forward(torch::Tensor a, torch::Tensor b, torch::Tensor scale) {
  const int m = a.size(0), n = b.size(0), k = a.size(1);
  auto y = torch::empty({m, n}, scale.options());
  quantised<<<dim3(n / 16, m / 16), 32, 0, at::cuda::getCurrentCUDAStream()>>>(
      a.data_ptr<int8_t>(), b.data_ptr<int8_t>(), scale.data_ptr<float>(), y.data_ptr<float>(), n, k);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
