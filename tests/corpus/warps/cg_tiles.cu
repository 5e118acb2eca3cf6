/* The mean and variance of short rows: one cooperative tile of 16 threads a row.

def reference(x):
    return torch.stack([x.mean(1), x.var(1, unbiased=False)], 1)

def inputs():
    return [torch.randn(9, 37)]
*/
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <torch/extension.h>

namespace cg = cooperative_groups;

template <unsigned kTile>
__global__ void moments(const float* __restrict__ x, float2* __restrict__ out, int rows, int cols) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<kTile>(block);
  const int row = blockIdx.x * tile.meta_group_size() + tile.meta_group_rank();
  if (row >= rows) return;  // the whole tile leaves  //~ delete: ILLEGAL_MEMORY_ACCESS
  float sum = 0;
  for (int c = tile.thread_rank(); c < cols; c += tile.size()) sum += x[row * cols + c];
  const float mean = cg::reduce(tile, sum, cg::plus<float>()) / cols;
  float squares = 0;
  for (int c = tile.thread_rank(); c < cols; c += kTile) {  //~ "tile.thread_rank()" -> "block.thread_rank()": WRONG_VALUES
    const float d = x[row * cols + c] - mean;
    squares += d * d;
  }
  squares = cg::reduce(tile, squares, cg::plus<float>());  //~ "plus" -> "greater": WRONG_VALUES
  if (tile.thread_rank() == 0) out[row] = make_float2(mean, squares / cols);  //~ "squares / cols" -> "squares / (cols - 1)": WRONG_VALUES
}

torch::Tensor forward(torch::Tensor x) {
  const int rows = x.size(0), cols = x.size(1);
  auto out = torch::empty({rows, 2}, x.options());
  moments<16><<<(rows + 3) / 4, 64>>>(x.data_ptr<float>(),
                                      reinterpret_cast<float2*>(out.data_ptr<float>()), rows, cols);
  return out;
}
