/* The k largest of each row in order: k rounds in which the block finds a maximum and strikes it out.

def reference(x):
    return x.topk(4, dim=-1).values

def inputs():
    return [torch.randn(5, 73)]
*/
#include <torch/extension.h>

__global__ void topk_rows(const float* x, float* y, int cols, int k) {
  extern __shared__ float row[];
  __shared__ float value[32];
  __shared__ int where[32];
  const int tid = threadIdx.x, bid = blockIdx.x;
  for (int c = tid; c < cols; c += 32) row[c] = x[bid * cols + c];
  for (int round = 0; round < k; ++round) {
    value[tid] = -INFINITY;
    for (int c = tid; c < cols; c += 32)
      if (row[c] > value[tid]) value[tid] = row[c], where[tid] = c;  //~ ", where[tid] = c" -> "": ILLEGAL_MEMORY_ACCESS @strike
    __syncthreads();  //~ delete: DATA_RACE
    if (tid == 5) {
      int best = 0;
      for (int i = 1; i < 32; ++i)  //~ "i < 32" -> "i < 33": ILLEGAL_MEMORY_ACCESS
        if (value[i] > value[best]) best = i;
      y[bid * k + round] = value[best];
      row[where[best]] = -INFINITY;  //@strike  //~ delete: WRONG_VALUES
    }
    __syncthreads();  //~ delete: DATA_RACE
  }
}

torch::Tensor forward(torch::Tensor x) {
  const int rows = x.size(0), cols = x.size(1), k = 4;
  auto y = torch::empty({rows, k}, x.options());
  topk_rows<<<rows, 32, cols * sizeof(float)>>>(x.data_ptr<float>(), y.data_ptr<float>(), cols, k);  //~ "cols * sizeof(float)" -> "32 * sizeof(float)": ILLEGAL_MEMORY_ACCESS
  return y;
}
