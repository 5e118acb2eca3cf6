/* The largest absolute value of a vector: cg::reduce in tiles of a warp, shared memory between
them, an atomic maximum between blocks.

def reference(x):
    return x.abs().max().reshape(1)

def inputs():
    return [torch.randn(1000)]
*/
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <torch/extension.h>

using namespace cooperative_groups;

__global__ void abs_max(const float* x, int n, float* out) {
  __shared__ float partial[4];
  thread_block block = this_thread_block();
  thread_block_tile<32> warp = tiled_partition<32>(block);
  float best = 0.f;
  for (int i = blockIdx.x * block.size() + block.thread_rank(); i < n; i += gridDim.x * block.size())  //~ "i < n" -> "i <= n": ILLEGAL_MEMORY_ACCESS
    best = fmaxf(best, fabsf(x[i]));
  best = reduce(warp, best, greater<float>());
  if (warp.thread_rank() == 0) partial[warp.meta_group_rank()] = best;  //@store  //~ "warp.meta_group_rank()" -> "0": DATA_RACE
  block.sync();  //~ delete: DATA_RACE  //~ "block" -> "warp": DATA_RACE
  if (block.thread_rank() == 0) {
    for (int w = 1; w < 4; ++w) best = fmaxf(best, partial[w]);  //~ "< 4" -> "<= 4": ILLEGAL_MEMORY_ACCESS @here
    atomicMax(reinterpret_cast<int*>(out), __float_as_int(best));  // as ints: none is negative
  }
}

torch::Tensor forward(torch::Tensor x) {
  auto out = torch::zeros({1}, x.options());
  abs_max<<<3, 128>>>(x.data_ptr<float>(), x.numel(), out.data_ptr<float>());
  return out;
}
