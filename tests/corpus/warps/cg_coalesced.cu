/* Counts of positive and of negative values, each by one atomic for the lanes that took the branch.

def reference(x):
    return torch.stack([(x > 0).sum(), (x < 0).sum()]).to(torch.int32)

def inputs():
    return [torch.randint(-3, 4, (150,)).float()]
*/
#include <cooperative_groups.h>
#include <torch/extension.h>

namespace cg = cooperative_groups;

__device__ void count_one(int* counter) {
  cg::coalesced_group active = cg::coalesced_threads();
  if (active.thread_rank() == 0) atomicAdd(counter, active.size());  //~ "active.size()" -> "32": WRONG_VALUES  //~ "active.thread_rank()" -> "threadIdx.x % 32": WRONG_VALUES
}

__global__ void count_signs(const float* x, int n, int* counts) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    if (x[i] > 0) {
      count_one(counts);
    } else if (x[i] < 0) {
      count_one(counts + 1);  //~ "+ 1" -> "+ 2": ILLEGAL_MEMORY_ACCESS
    }
  }
}

torch::Tensor forward(torch::Tensor x) {
  auto counts = torch::zeros({2}, x.options().dtype(torch::kInt));
  count_signs<<<2, 48>>>(x.data_ptr<float>(), x.numel(), counts.data_ptr<int>());
  return counts;
}
