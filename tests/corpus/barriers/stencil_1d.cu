/* A moving average of seven samples over edges that repeat, from a window in shared memory.

def reference(x):
    padded = torch.nn.functional.pad(x[None, None], (3, 3), mode="replicate")
    return torch.nn.functional.avg_pool1d(padded, 7, 1)[0, 0]

def inputs():
    return [torch.randn(150)]
*/
#include <torch/extension.h>

#define RADIUS 3
#define BLOCK_SIZE 64
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

__global__ void moving_average(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float window[BLOCK_SIZE + 2 * RADIUS];  //~ " + 2 * RADIUS" -> "": ILLEGAL_MEMORY_ACCESS
  const int gindex = threadIdx.x + blockIdx.x * blockDim.x;
  const int lindex = threadIdx.x + RADIUS;

  window[lindex] = in[MIN(gindex, n - 1)];  //~ "MIN(gindex, n - 1)" -> "gindex": ILLEGAL_MEMORY_ACCESS @here
  if (threadIdx.x < RADIUS) {  //~ "< RADIUS" -> "< RADIUS - 1": NON_FINITE
    window[lindex - RADIUS] = in[MAX(gindex - RADIUS, 0)];  //~ "MAX(gindex - RADIUS, 0)" -> "gindex - RADIUS": ILLEGAL_MEMORY_ACCESS @here
    window[lindex + BLOCK_SIZE] = in[MIN(gindex + BLOCK_SIZE, n - 1)];
  }
  __syncthreads();  //~ delete: DATA_RACE

  if (gindex < n) {  //~ "gindex < n" -> "true": ILLEGAL_MEMORY_ACCESS @store
    float sum = 0.0f;
    for (int offset = -RADIUS; offset <= RADIUS; offset++)  //~ "offset <= RADIUS" -> "offset < RADIUS": WRONG_VALUES
      sum += window[lindex + offset];
    out[gindex] = sum / (2 * RADIUS + 1);  //@store
  }
}

torch::Tensor forward(torch::Tensor x) {
  const int n = x.size(0);
  torch::Tensor out = torch::zeros_like(x);
  moving_average<<<(n + BLOCK_SIZE - 1) / BLOCK_SIZE, BLOCK_SIZE>>>(  //~ "(n + BLOCK_SIZE - 1) / BLOCK_SIZE" -> "n / BLOCK_SIZE": WRONG_VALUES
      x.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
