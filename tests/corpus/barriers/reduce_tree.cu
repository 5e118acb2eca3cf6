/* The sum of a vector in two launches of one block reduction.

def reference(x):
    return x.sum().reshape(1)

def inputs():
    return [torch.rand(1003)]
*/
#include <torch/extension.h>

template <int threads>
__global__ void block_sum(const float* in, float* out, int n) {
  __shared__ float partial[threads];
  const int tid = threadIdx.x;
  const int i = blockIdx.x * threads * 2 + tid;
  float mine = i < n ? in[i] : 0.0f;  //~ "i < n" -> "true": ILLEGAL_MEMORY_ACCESS @here
  if (i + threads < n) mine += in[i + threads];  //~ "i + threads < n" -> "i < n": ILLEGAL_MEMORY_ACCESS @here
  partial[tid] = mine;
  __syncthreads();  //~ delete: DATA_RACE
  for (int stride = threads / 2; stride > 0; stride >>= 1) {  //~ "threads / 2" -> "threads / 4": WRONG_VALUES
    if (tid < stride) {  //~ "tid < stride" -> "tid <= stride": ILLEGAL_MEMORY_ACCESS @fold
      partial[tid] += partial[tid + stride];  //@fold
    }
    __syncthreads();  //~ delete: DATA_RACE
  }
  if (tid == 1) out[blockIdx.x] = partial[0];  //~ "tid == 1" -> "tid == threads": NON_FINITE
}

torch::Tensor forward(torch::Tensor x) {
  constexpr int threads = 128;
  const int n = x.numel(), blocks = (n + 2 * threads - 1) / (2 * threads);
  auto partial = torch::empty({blocks}, x.options());
  auto total = torch::empty({1}, x.options());
  block_sum<threads><<<blocks, threads>>>(x.data_ptr<float>(), partial.data_ptr<float>(), n);
  block_sum<threads><<<1, threads>>>(partial.data_ptr<float>(), total.data_ptr<float>(), blocks);
  return total;
}
