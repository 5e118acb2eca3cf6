/* Dot products of short rows: eight lanes a row, four rows a warp, by shuffles of width 8.

def reference(a, b):
    return (a * b).sum(1)

def inputs():
    return [torch.randn(13, 21), torch.randn(13, 21)]
*/
#include <torch/extension.h>

#define TEAM 8

__global__ void dot_rows(const float* a, const float* b, float* out, int rows, int k) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  int row = thread / TEAM, member = thread % TEAM;
  float acc = 0.0f;
  if (row < rows) {  //~ "row < rows" -> "row <= rows": ILLEGAL_MEMORY_ACCESS
    for (int i = member; i < k; i += TEAM) acc = fmaf(a[row * k + i], b[row * k + i], acc);
  }
  // All lanes come here, also those without a row.
  for (int d = TEAM / 2; d >= 1; d /= 2) acc += __shfl_down_sync(~0u, acc, d, TEAM);
  float sum = __shfl_sync(~0u, acc, 0, TEAM);  //~ ", TEAM" -> "": WRONG_VALUES
  if (row < rows && member == TEAM - 1) out[row] = sum;  //~ "= sum" -> "= acc": WRONG_VALUES
}

torch::Tensor forward(torch::Tensor a, torch::Tensor b) {
  int rows = a.size(0), k = a.size(1);
  torch::Tensor out = torch::zeros({rows}, a.options());
  dim3 block(64), grid((rows * TEAM + 63) / 64);
  dot_rows<<<grid, block>>>(a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), rows, k);
  return out;
}
