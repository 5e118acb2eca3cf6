/* The positive entries of a vector moved to its front in order, the rest zeros, and their number.

def reference(x):
    kept = x[x > 0]
    return torch.cat([kept, x.new_zeros(len(x) - len(kept))]), torch.tensor([len(kept)])

def inputs():
    x = torch.randn(333)
    x[0] = 1
    return [x]
*/
#include <torch/extension.h>

template <int kThreads>
__global__ void compact(const float* x, float* y, int64_t* number, int n) {
  __shared__ int position[kThreads];
  __shared__ int base;
  if (threadIdx.x == 0) base = 0;  //~ delete: ILLEGAL_MEMORY_ACCESS
  for (int start = 0; start < n; start += kThreads) {  // the block walks along the vector
    const int i = start + threadIdx.x;
    const bool keep = i < n && x[i] > 0;  //~ "i < n && " -> "": ILLEGAL_MEMORY_ACCESS @here
    position[threadIdx.x] = keep;
    __syncthreads();  //~ delete: DATA_RACE
    for (int step = 1; step < kThreads; step *= 2) {
      const int before = threadIdx.x >= step ? position[threadIdx.x - step] : 0;  //~ ">= step" -> "> step": DATA_RACE
      __syncthreads();  //~ delete: DATA_RACE
      position[threadIdx.x] += before;
      __syncthreads();  //~ delete: DATA_RACE
    }
    if (keep) y[base + position[threadIdx.x] - 1] = x[i];  //~ "if (keep) " -> "": DATA_RACE
    const int found = position[kThreads - 1];
    __syncthreads();  //~ delete: DATA_RACE
    if (threadIdx.x == 0) base += found;  //~ "threadIdx.x == 0" -> "true": DATA_RACE @here
  }
  __syncthreads();  //~ delete: DATA_RACE
  for (int i = base + threadIdx.x; i < n; i += kThreads) y[i] = 0;  //~ "base + threadIdx.x" -> "base + 1 + threadIdx.x": NON_FINITE
  if (threadIdx.x == kThreads - 1) *number = base;
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  auto number = torch::empty({1}, torch::dtype(torch::kLong).device(x.device()));
  compact<128><<<1, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), number.data_ptr<int64_t>(), x.numel());
  return {y, number};
}
