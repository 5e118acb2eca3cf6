/* Sums of rows, one warp a row, by a butterfly; the last block has warps without a row.

def reference(x):
    return x.sum(-1)

def inputs():
    return [torch.randn(11, 75)]
*/
#include <torch/extension.h>

constexpr unsigned kAll = 0xffffffffu;

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) {  //~ "offset = 16" -> "offset = 8": WRONG_VALUES
    v += __shfl_xor_sync(kAll, v, offset);  //~ "kAll" -> "0x0000ffffu": DIVERGENT_BARRIER @here  //~ "xor" -> "up": WRONG_VALUES
  }
  return v;
}

__global__ void __launch_bounds__(128) row_sums(const float* __restrict__ x, float* __restrict__ y,
                                                int rows, int cols) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;  //~ delete: ILLEGAL_MEMORY_ACCESS @load
  float sum = 0.f;
  for (int c = lane; c < cols; c += 32) sum += x[row * cols + c];  //@load
  sum = warp_sum(sum);
  if (lane == 0) y[row] = sum;
}

torch::Tensor forward(torch::Tensor x) {
  const int rows = x.size(0), cols = x.size(1);
  auto y = torch::empty({rows}, x.options());
  row_sums<<<(rows + 3) / 4, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), rows, cols);  //~ "128>>>" -> "256>>>": BAD_LAUNCH
  return y;
}
