/* Counting by atomics what an initialising launch has set to zero: a plain write beside them races.

def reference(x):
    return torch.stack([(x > 0).sum(), (x <= 0).sum()]).int()

def inputs():
    return [torch.randn(100)]
*/
#include <torch/extension.h>

__global__ void clear(int* counts) { counts[threadIdx.x] = 0; }

__global__ void count(const float* x, int* counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[x[i] > 0 ? 0 : 1], 1);  //~ "if (i < n) " -> "if (i < 2) counts[i] = 0; if (i < n) ": DATA_RACE  //~ "atomicAdd(&counts[x[i] > 0 ? 0 : 1], 1)" -> "if (x[i] > 0) atomicAdd(counts, 1); else counts[1]++": DATA_RACE @here
}

torch::Tensor forward(torch::Tensor x) {
  auto counts = torch::empty({2}, x.options().dtype(torch::kInt32));
  clear<<<1, 2>>>(counts.data_ptr<int>());  //~ delete: WRONG_VALUES  //~ "<<<1, 2>>>" -> "<<<1, 3>>>": ILLEGAL_MEMORY_ACCESS
  count<<<4, 32>>>(x.data_ptr<float>(), counts.data_ptr<int>(), x.numel());
  return counts;
}
