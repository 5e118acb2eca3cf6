/* A histogram with one atomic a warp and bin: lanes with the same bin elect the lowest of them.

def reference(bins):
    return torch.bincount(bins.long(), minlength=10).to(torch.int32)

def inputs():
    return [torch.randint(0, 10, (333,), dtype=torch.int32)]
*/
#include <torch/extension.h>

__global__ void histogram(const int* bins, int n, int* counts) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned here = __ballot_sync(0xffffffffu, i < n);
  if (i >= n) return;
  const int bin = bins[i];
  const unsigned peers = __match_any_sync(here, bin);  //~ "here" -> "0x7fffffffu": DIVERGENT_BARRIER @here
  const int leader = __ffs(peers) - 1;  //~ "- 1" -> "": WRONG_VALUES
  if (threadIdx.x % 32 == leader) atomicAdd(counts + bin, __popc(peers));  //~ "__popc(peers)" -> "1": WRONG_VALUES  //~ "atomicAdd(counts + bin, __popc(peers))" -> "counts[bin] += __popc(peers)": DATA_RACE @here
}

torch::Tensor forward(torch::Tensor bins) {
  const int n = bins.numel();
  auto counts = torch::zeros({10}, bins.options());
  histogram<<<(n + 95) / 96, 96>>>(bins.data_ptr<int>(), n, counts.data_ptr<int>());
  return counts;
}
