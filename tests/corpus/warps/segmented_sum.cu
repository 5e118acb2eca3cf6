/* Sums of runs of equal keys in a sorted list, each run's sum at its every element: a segmented
scan in a warp whose flags are a ballot.

def reference(keys, x):
    sums = torch.zeros(8, dtype=x.dtype).index_add(0, keys.long(), x)
    return sums[keys.long()]

def inputs():
    return [torch.randint(0, 8, (32,), dtype=torch.int32).sort().values, torch.randn(32)]
*/
#include <torch/extension.h>

__global__ void sum_runs(const int* keys, const float* x, float* y) {
  const unsigned full = 0xffffffffu;
  const int lane = threadIdx.x;
  const int key = keys[lane];
  const int previous = __shfl_up_sync(full, key, 1);
  const unsigned heads = __ballot_sync(full, lane == 0 || key != previous);  //~ "lane == 0 || " -> "": WRONG_VALUES
  const int head = 31 - __clz(heads << (31 - lane) >> (31 - lane));
  float sum = x[lane];
  for (int d = 1; d < 32; d *= 2) {
    const float other = __shfl_up_sync(full, sum, d);
    if (lane - d >= head) sum += other;  //~ ">=" -> ">": WRONG_VALUES  //~ "lane - d >= head" -> "lane >= d": WRONG_VALUES
  }
  const unsigned later = lane == 31 ? 0 : heads >> (lane + 1) << (lane + 1);
  const int last = later ? __ffs(later) - 2 : 31;
  y[lane] = __shfl_sync(full, sum, last);  //~ "last" -> "head": WRONG_VALUES
}

torch::Tensor forward(torch::Tensor keys, torch::Tensor x) {
  auto y = torch::empty_like(x);
  sum_runs<<<1, 32>>>(keys.data_ptr<int>(), x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}
