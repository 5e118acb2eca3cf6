/* A histogram of values in 0..19: each block counts in shared memory, then adds to the whole.

def reference(x):
    return torch.bincount(x.flatten(), minlength=20).int()

def inputs():
    return [torch.randint(0, 20, (37, 29), dtype=torch.int32)]
*/
#include <torch/extension.h>

constexpr int kBins = 20;

__global__ void histogram(const int* values, int* counts, int n) {
  __shared__ int local[kBins];
  if (threadIdx.x < kBins) local[threadIdx.x] = 0;  //~ "threadIdx.x < kBins" -> "true": ILLEGAL_MEMORY_ACCESS @here
  __syncthreads();  //~ delete: DATA_RACE
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&local[values[i]], 1);  //~ "atomicAdd(&local[values[i]], 1)" -> "local[values[i]] += 1": DATA_RACE @here
  }
  __syncthreads();  //~ delete: WRONG_VALUES
  if (threadIdx.x < kBins) atomicAdd(counts + threadIdx.x, local[threadIdx.x]);  //~ "atomicAdd(counts + threadIdx.x, local[threadIdx.x])" -> "counts[threadIdx.x] += local[threadIdx.x]": DATA_RACE @here
}

torch::Tensor forward(torch::Tensor x) {
  auto counts = torch::zeros({kBins}, x.options());  //~ "zeros" -> "empty": WRONG_VALUES
  histogram<<<3, 96>>>(x.data_ptr<int>(), counts.data_ptr<int>(), x.numel());
  return counts;
}
