/* A linear layer in TF32: y = x w^T + bias, where x is rounded to TF32 by its fragments' own
elements; the weight, a row each output, is a column-major factor.

def reference(x, w, bias):
    rounded = torch.floor(x * 1024 + 0.5) / 1024  # 10 bits behind the leading one
    return rounded @ w.t() + bias

def inputs():
    x = 1 + (4 * torch.randint(0, 1024, (32, 24)) + 3) / 4096
    return [x, torch.randn(16, 24).bfloat16().float(), torch.randn(16)]
*/
#include <mma.h>
#include <torch/extension.h>

using namespace nvcuda::wmma;

template <int FEATURES>
__global__ void linear_tf32(const float* __restrict__ x, const float* __restrict__ w,
                            const float* __restrict__ bias, float* __restrict__ y, int depth) {
  __shared__ __align__(128) float spread[16 * FEATURES];
  const float* rows = x + blockIdx.x * 16 * depth;
  for (int i = threadIdx.x; i < 16 * FEATURES; i += 32) spread[i] = bias[i % FEATURES];
  __syncwarp();  //~ delete: DATA_RACE @bias
  fragment<accumulator, 16, FEATURES, 8, float> sum;
  load_matrix_sync(sum, spread, FEATURES, mem_row_major);  //@bias  //~ "mem_row_major" -> "mem_col_major": WRONG_VALUES
  for (int k = 0; k < depth; k += 8) {  //~ "k < depth" -> "k <= depth": ILLEGAL_MEMORY_ACCESS
    fragment<matrix_a, 16, FEATURES, 8, precision::tf32, row_major> a;
    fragment<matrix_b, 16, FEATURES, 8, precision::tf32, col_major> b;  //~ "col_major" -> "row_major": WRONG_VALUES
    load_matrix_sync(a, rows + k, depth);
    load_matrix_sync(b, w + k, depth);
#pragma unroll
    for (int t = 0; t < a.num_elements; ++t) {
      a.x[t] = __float_to_tf32(a.x[t]);  //~ delete: WRONG_VALUES
    }
#pragma unroll
    for (int t = 0; t < b.num_elements; ++t) b.x[t] = __float_to_tf32(b.x[t]);
    mma_sync(sum, a, b, sum);
  }
  store_matrix_sync(y + blockIdx.x * 16 * FEATURES, sum, FEATURES, mem_row_major);  //~ "blockIdx.x * 16 * FEATURES" -> "threadIdx.x": DIVERGENT_BARRIER @here
}

torch::Tensor forward(torch::Tensor x, torch::Tensor w, torch::Tensor bias) {
  TORCH_CHECK(x.size(0) % 16 == 0 && x.size(1) % 8 == 0 && w.size(0) == 16, "shapes");
  auto y = torch::empty({x.size(0), w.size(0)}, x.options());
  linear_tf32<16><<<x.size(0) / 16, 32>>>(x.data_ptr<float>(), w.data_ptr<float>(),
                                          bias.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}
