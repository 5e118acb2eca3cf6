/* Offsets of ragged rows, summed on the CPU between two kernels and brought back.

def reference(lengths, x):
    ends = lengths.cumsum(0)
    return torch.stack([x[e - n : e].sum() for n, e in zip(lengths.tolist(), ends.tolist())])

def inputs():
    return [torch.tensor([3, 0, 7, 1, 12, 5]), torch.randn(28)]
*/
#include <torch/extension.h>

__global__ void doubled(const float* x, float* y, int n) {
  if (threadIdx.x < n) y[threadIdx.x] = 2 * x[threadIdx.x];
}

__global__ void sum_rows(const float* y, const int64_t* ends, float* sums) {
  const int r = threadIdx.x;
  float sum = 0;
  for (int64_t i = r ? ends[r - 1] : 0; i < ends[r]; ++i) sum += y[i] / 2;  //@sum
  sums[r] = sum;
}

torch::Tensor forward(torch::Tensor lengths, torch::Tensor x) {
  const int rows = lengths.numel();
  auto y = torch::empty_like(x);
  doubled<<<1, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  auto ends = lengths.cpu().clone();  //~ ".cpu().clone()" -> ".clone()": ILLEGAL_MEMORY_ACCESS @scan  //~ ".cpu().clone()" -> ".cpu().cuda()": ILLEGAL_MEMORY_ACCESS @scan
  auto at = ends.accessor<int64_t, 1>();
  for (int r = 1; r < rows; ++r) at[r] += at[r - 1];  //@scan  //~ delete: WRONG_VALUES
  auto on_device = ends.cuda();  //~ "ends.cuda()" -> "ends": ILLEGAL_MEMORY_ACCESS @sum gpu: PASSED  //~ "ends.cuda()" -> "ends.to(x.device(), torch::kInt32)": RUNTIME_ERROR  //~ "ends.cuda()" -> "ends.to(x.options())": RUNTIME_ERROR
  auto sums = torch::empty({rows}, y.options());
  sum_rows<<<1, rows>>>(y.data_ptr<float>(), on_device.data_ptr<int64_t>(), sums.data_ptr<float>());
  return sums;
}
