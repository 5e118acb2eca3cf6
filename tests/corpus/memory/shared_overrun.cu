/* Two static arrays of shared memory and a dynamic one side by side, none of which is overrun.

def reference(x):
    return torch.stack([x.cumsum(1), x.flip(1)], 1)

def inputs():
    return [torch.randn(4, 24)]
*/
#include <torch/extension.h>

__global__ void sums_and_flips(const float* x, float* y, int width) {
  __shared__ float sums[24];  //~ "[24]" -> "[23]": ILLEGAL_MEMORY_ACCESS @put
  __shared__ float values[24];
  extern __shared__ float flipped[];
  const int t = threadIdx.x;
  values[t] = x[blockIdx.x * width + t];
  __syncthreads();
  float sum = 0;
  for (int i = 0; i <= t; ++i) sum += values[i];  //~ "i <= t" -> "i <= t + 1": ILLEGAL_MEMORY_ACCESS @here
  sums[t] = sum;  //@put  //~ "sums[t]" -> "sums[t + 1]": ILLEGAL_MEMORY_ACCESS @here  //~ "sums[t]" -> "sums[t - 1]": ILLEGAL_MEMORY_ACCESS @here  //~ "sums[t]" -> "sums[t + 24]": ILLEGAL_MEMORY_ACCESS @here
  flipped[width - 1 - t] = values[t];  //@flip  //~ "width - 1 - t" -> "width - t": ILLEGAL_MEMORY_ACCESS @here  //~ "values[t]" -> "values[2 * t]": ILLEGAL_MEMORY_ACCESS @here
  __syncthreads();
  float* out = y + blockIdx.x * 2 * width;
  out[t] = sums[t];
  out[width + t] = flipped[t];
}

torch::Tensor forward(torch::Tensor x) {
  const int width = x.size(1);
  auto y = torch::empty({x.size(0), 2, width}, x.options());
  sums_and_flips<<<x.size(0), width, width * sizeof(float)>>>(x.data_ptr<float>(), y.data_ptr<float>(), width);  //~ ", width * sizeof(float)" -> "": ILLEGAL_MEMORY_ACCESS @flip  //~ "width * sizeof(float)" -> "width": ILLEGAL_MEMORY_ACCESS @flip
  return y;
}
