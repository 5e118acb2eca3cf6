/* Sums of segments of differing lengths: blocks loop as often as their segment needs.

def reference(values, starts):
    return torch.stack([values[a:b].sum() for a, b in zip(starts[:-1], starts[1:])])

def inputs():
    return [torch.randn(200), torch.tensor([0, 7, 7, 90, 133, 200], dtype=torch.int32)]
*/
#include <torch/extension.h>

__global__ void segment_sums(const float* values, const int* starts, float* sums) {
  __shared__ float chunk[32];
  const int begin = starts[blockIdx.x], end = starts[blockIdx.x + 1];
  float total = 0;
  for (int base = begin; base < end; base += 32) {  // as often for all threads  //~ "base = begin;" -> "base = begin + threadIdx.x;": DIVERGENT_BARRIER
    const int i = base + threadIdx.x;
    chunk[threadIdx.x] = i < end ? values[i] : 0;  //~ "i < end ? values[i] : 0" -> "values[i]": ILLEGAL_MEMORY_ACCESS @here
    __syncthreads();  //~ delete: DATA_RACE
    if (threadIdx.x == 0)
      for (int j = 0; j < 32; ++j) total += chunk[j];
    __syncthreads();  //~ delete: DATA_RACE
  }
  chunk[threadIdx.x] = total;
  __syncthreads();  //~ delete: DATA_RACE
  if (threadIdx.x == 31) sums[blockIdx.x] = chunk[0];  //~ "chunk[0]" -> "chunk[31]": WRONG_VALUES
}

torch::Tensor forward(torch::Tensor values, torch::Tensor starts) {
  const int64_t segments = starts.size(0) - 1;  //~ " - 1" -> "": ILLEGAL_MEMORY_ACCESS
  auto sums = torch::empty({segments}, values.options());
  segment_sums<<<segments, 32>>>(values.data_ptr<float>(), starts.data_ptr<int>(), sums.data_ptr<float>());
  return sums;
}
