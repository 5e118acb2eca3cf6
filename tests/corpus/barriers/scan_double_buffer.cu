/* An inclusive running maximum with two buffers, which need one barrier a step.

def reference(x):
    return x.cummax(0).values

def inputs():
    return [torch.rand(50) - torch.arange(50)]
*/
#include <cuda_runtime.h>
#include <torch/extension.h>

__global__ void running_max(const float* in, float* out, int count) {
  extern __shared__ float buffers[];
  float* from = buffers;
  float* to = buffers + blockDim.x;  //~ "buffers + blockDim.x" -> "buffers": DATA_RACE  //~ "buffers + blockDim.x" -> "buffers + blockDim.x + 1": ILLEGAL_MEMORY_ACCESS
  const unsigned lane = threadIdx.x;
  from[lane] = lane < count ? in[lane] : -INFINITY;
  __syncthreads();  //~ delete: DATA_RACE
  for (unsigned step = 1; step < blockDim.x; step <<= 1) {
    to[lane] = lane < step ? from[lane] : fmaxf(from[lane], from[lane - step]);  //~ "lane < step" -> "lane == 0": ILLEGAL_MEMORY_ACCESS @here
    float* swap = from;
    from = to;
    to = swap;
    __syncthreads();  //~ delete: DATA_RACE
  }
  if (lane < count) out[lane] = from[lane];  //~ "= from" -> "= to": WRONG_VALUES
}

torch::Tensor forward(torch::Tensor x) {
  auto out = torch::empty_like(x);
  const int threads = 64;
  running_max<<<1, threads, 2 * threads * sizeof(float)>>>(  //~ "2 * threads" -> "threads": ILLEGAL_MEMORY_ACCESS  //~ "2 * threads * sizeof(float)" -> "2 * threads": ILLEGAL_MEMORY_ACCESS
      x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
  return out;
}
