/* Hints to the compiler: assumptions, likelihood, alignment, unreachable code, unrolling, __ldg.

def reference(x):
    return x.view(-1, 8).sum(1), x.clamp(min=0) + (x < 0) * -0.5

def inputs():
    return [torch.randn(96)]
*/
#include <torch/extension.h>

__device__ __noinline__ float branch(float v, int kind) {
  switch (kind) {
    case 0: return v;
    case 1: return -0.5f;  //~ "-0.5f" -> "0.5f": WRONG_VALUES
  }
  __builtin_unreachable();
}

__global__ void __launch_bounds__(32, 4) hinted(const float* __restrict__ const x, float* __restrict__ sums,  //~ "(32, 4)" -> "(8, 4)": BAD_LAUNCH
                                                float* __restrict__ kinked, int n) {
  __builtin_assume(blockDim.x == 32);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (__builtin_expect(i < n, 1)) {  //~ "i < n" -> "i <= n": ILLEGAL_MEMORY_ACCESS
    const float* p = static_cast<const float*>(__builtin_assume_aligned(x + 8 * i, 16));
    float sum = 0.0f;  //~ "float sum" -> "float many[n]; float sum": COMPILE_ERROR @here  //~ "0.0f" -> "__builtin_ctz(n) * 0.0f": COMPILE_ERROR @here  //~ "float sum" -> "__float128 sum": COMPILE_ERROR @here
#pragma unroll 2
    for (int c = 0; c < 8; ++c) {  //~ "c < 8" -> "c < 7": WRONG_VALUES
      const float v = __ldg(p + c);  //~ "__ldg(p + c)" -> "__ldg(p)[c]": COMPILE_ERROR @here
      sum += v;
      kinked[8 * i + c] = branch(v, v < 0.0f);  //~ "v < 0.0f" -> "!(v < 0.0f)": WRONG_VALUES
    }
    sums[i] = sum;
  }
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  const int n = x.numel() / 8;
  auto sums = torch::empty({n}, x.options()), kinked = torch::empty_like(x);
  hinted<<<1, 32>>>(x.data_ptr<float>(), sums.data_ptr<float>(), kinked.data_ptr<float>(), n);
  return {sums, kinked};
}
