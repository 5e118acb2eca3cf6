/* Row sums by a block whose size is a template argument: a macro in a switch launches each size.

def reference(*xs):
    return tuple(x.sum(1) for x in xs)

def inputs():
    return [torch.rand(9, n) for n in (70, 150, 270)]
*/
#include <ATen/cuda/CUDAContext.h>
#include <torch/extension.h>

#define BLOCK_CASE(SIZE)                                                     \
  case SIZE: {                                                               \
    constexpr int kBlock = SIZE;                                             \
    row_sums<kBlock, (kBlock >> 5)><<<rows, kBlock, 0, at::cuda::getCurrentCUDAStream()>>>(ROWS); \
    break;                                                                   \
  }
#define ROWS x.data_ptr<float>(), y.data_ptr<float>(), n

template <unsigned int kBlock>
__device__ __forceinline__ void halve(float* s, unsigned int t) {
  if (kBlock >= 256) { if (t < 128) s[t] += s[t + 128]; __syncthreads(); }  //~ "256" -> "512": WRONG_VALUES
  if (kBlock >= 128) { if (t < 64) s[t] += s[t + 64]; __syncthreads(); }  //~ " __syncthreads();" -> "": DATA_RACE
  if (t < 32) {
#pragma unroll
    for (int stride = 32; stride > 0; stride >>= 1) {
      if (t < stride) s[t] += s[t + stride];
      __syncwarp();
    }
  }
}

template <int kBlock, int kWarps>
__global__ __launch_bounds__(kBlock) void row_sums(const float* __restrict__ x, float* y, int n) {
  static_assert(kWarps * 32 == kBlock, "whole warps");  //~ "* 32" -> "* 16": COMPILE_ERROR
  __shared__ float s[kBlock];  //~ "[kBlock]" -> "[kBlock / 2]": ILLEGAL_MEMORY_ACCESS
  float sum = 0.0f;
  for (int i = threadIdx.x; i < n; i += kBlock) sum += x[blockIdx.x * n + i];  //~ "+= kBlock" -> "+= kBlock * 2": WRONG_VALUES
  s[threadIdx.x] = sum;
  __syncthreads();  //~ delete: DATA_RACE
  halve<kBlock>(s, threadIdx.x);
  if (threadIdx.x == 0) y[blockIdx.x] = s[0];
}

static torch::Tensor sums_of(torch::Tensor x) {
  const int rows = x.size(0), n = x.size(1);
  auto y = torch::empty({rows}, x.options());
  const int threads = n > 200 ? 256 : n > 100 ? 128 : 64;  //~ ": 64" -> ": 32": NON_FINITE
  switch (threads) {
    BLOCK_CASE(256)
    BLOCK_CASE(128)  //~ "128" -> "one_hundred": COMPILE_ERROR @here
    BLOCK_CASE(64)
    default: break;
  }
  return y;
}

std::vector<torch::Tensor> forward(torch::Tensor a, torch::Tensor b, torch::Tensor c) {
  return {sums_of(a), sums_of(b), sums_of(c)};
}
