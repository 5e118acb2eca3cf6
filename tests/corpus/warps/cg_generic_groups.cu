/* One summing function for any cooperative group, called with the block and with a tile whose
size is known at run time only.

def reference(x):
    return x.view(4, 64).sum(1), x.view(-1, 8).sum(1)

def inputs():
    return [torch.randn(256)]
*/
#include <cooperative_groups.h>
#include <torch/extension.h>

#include <tuple>

namespace cg = cooperative_groups;

// Folds the group's values in its own part of shared memory.
__device__ float group_sum(const cg::thread_group& g, float* s, float v) {
  const unsigned rank = g.thread_rank();
  for (unsigned half = g.size() / 2; half > 0; half /= 2) {
    s[rank] = v;
    g.sync();  //~ delete: DATA_RACE
    if (rank < half) v += s[rank + half];  //~ "if (rank < half) " -> "": ILLEGAL_MEMORY_ACCESS
    g.sync();  //~ delete: DATA_RACE
  }
  return v;
}

__global__ void sums(const float* x, float* of_block, float* of_tiles, int tile_size) {
  __shared__ float s[64];
  cg::thread_block block = cg::this_thread_block();
  const int i = blockIdx.x * blockDim.x + block.thread_rank();
  const float total = group_sum(block, s, x[i]);
  if (block.thread_rank() == 0) of_block[blockIdx.x] = total;
  cg::sync(block);
  cg::thread_group tile = cg::tiled_partition(block, tile_size);
  const int first = threadIdx.x / tile_size * tile_size;
  const float part = group_sum(tile, s + first, x[i]);  //~ "s + first" -> "s": DATA_RACE
  if (tile.thread_rank() == 0) of_tiles[i / tile_size] = part;  //~ "i / tile_size" -> "i": ILLEGAL_MEMORY_ACCESS
}

std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor x) {
  auto of_block = torch::empty({4}, x.options()), of_tiles = torch::empty({32}, x.options());
  sums<<<4, 64>>>(x.data_ptr<float>(), of_block.data_ptr<float>(), of_tiles.data_ptr<float>(), 8);
  return {of_block, of_tiles};
}
