/* The running sum of a vector: scans of warps, then a scan of the warps' totals by the first.

def reference(x):
    return x.cumsum(0)

def inputs():
    return [torch.randint(-50, 50, (413,), dtype=torch.int32)]
*/
#include <torch/extension.h>

static const int kThreads = 512;

__device__ int scan_warp(int v, int lane) {
  for (int d = 1; d < 32; d <<= 1) {
    int other = __shfl_up_sync(0xffffffff, v, d);
    v += lane < d ? 0 : other;
  }
  return v;
}

__global__ void prefix_sum(const int* x, long* y, int n) {
  __shared__ int totals[kThreads / 32];
  int i = threadIdx.x, lane = i & 31, warp = i >> 5;
  int mine = scan_warp(i < n ? x[i] : 0, lane);  //~ "i < n ? x[i] : 0" -> "x[i]": ILLEGAL_MEMORY_ACCESS @here
  if (lane == 31) totals[warp] = mine;  //@store  //~ "31" -> "0": WRONG_VALUES
  __syncthreads();  //~ delete: DATA_RACE
  if (warp == 0) {
    int total = lane < kThreads / 32 ? totals[lane] : 0;  //~ "lane < kThreads / 32 ? totals[lane] : 0" -> "totals[lane]": ILLEGAL_MEMORY_ACCESS @here
    total = scan_warp(total, lane);
    if (lane < kThreads / 32) totals[lane] = total;
  }
  __syncthreads();  //~ delete: DATA_RACE  //~ "__syncthreads" -> "__syncwarp": DATA_RACE
  if (i < n) y[i] = mine + (warp > 0 ? totals[warp - 1] : 0);  //~ "totals[warp - 1]" -> "totals[warp]": WRONG_VALUES
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty({x.size(0)}, x.options().dtype(torch::kInt64));
  prefix_sum<<<1, kThreads>>>(x.data_ptr<int>(), y.data_ptr<int64_t>(), x.size(0));
  return y;
}
