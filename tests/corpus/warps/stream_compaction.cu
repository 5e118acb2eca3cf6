/* How many elements of each 32-wide chunk are positive, and those elements moved to its front:
ballots and counts of lower lanes.

def reference(x):
    front = torch.zeros_like(x)
    for row in range(x.size(0)):
        kept = x[row][x[row] > 0]
        front[row, : kept.numel()] = kept
    return front, (x > 0).sum(1).to(torch.int32)

def inputs():
    return [torch.randn(6, 32)]
*/
#include <torch/extension.h>
#include <vector>

__global__ void compact(const float* x, float* front, int* counts) {
  const int lane = threadIdx.x;
  const float v = x[blockIdx.x * 32 + lane];
  const bool keep = v > 0;
  const unsigned kept = __ballot_sync(0xffffffffu, keep);
  const unsigned below = (1u << lane) - 1;  //~ "(1u <<" -> "(2u <<": WRONG_VALUES
  if (keep) front[blockIdx.x * 32 + __popc(kept & below)] = v;  //~ "kept & below" -> "kept": DATA_RACE
  if (lane == 0) counts[blockIdx.x] = __popc(kept);  //~ "__popc(kept)" -> "__ffs(kept)": WRONG_VALUES
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  auto front = torch::zeros_like(x);
  auto counts = torch::empty({x.size(0)}, x.options().dtype(torch::kInt32));
  compact<<<x.size(0), 32>>>(x.data_ptr<float>(), front.data_ptr<float>(), counts.data_ptr<int>());
  return {front, counts};
}
