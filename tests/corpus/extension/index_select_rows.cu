/* An embedding bag: indices by index_select on the host, sums of bags with offsets in the kernel.

def reference(table, index, offsets):
    ends = torch.cat([offsets[1:], torch.tensor([index.numel()])])
    return torch.stack([table[index[a:b]].sum(0) for a, b in zip(offsets, ends)])

def inputs():
    return [torch.randn(10, 6), torch.randint(0, 10, (15,)), torch.tensor([0, 4, 9])]
*/
#include <torch/extension.h>

__global__ void bag_sums(const float* rows, const int64_t* offsets, float* y, int bags, int count, int cols) {
  const int bag = blockIdx.x, c = threadIdx.x;
  const int64_t end = bag + 1 < bags ? offsets[bag + 1] : count;  //~ "bag + 1 < bags ? offsets[bag + 1] : count" -> "offsets[bag + 1]": ILLEGAL_MEMORY_ACCESS @here
  float sum = 0;
  for (int64_t r = offsets[bag]; r < end; ++r) sum += rows[r * cols + c];  //~ "r < end" -> "r <= end": ILLEGAL_MEMORY_ACCESS @here
  y[bag * cols + c] = sum;
}

torch::Tensor forward(torch::Tensor table, torch::Tensor index, torch::Tensor offsets) {
  TORCH_CHECK(index.scalar_type() == torch::kLong && offsets.dtype() == torch::kInt64);
  auto rows = table.index_select(0, index);  //~ "select(0, index)" -> "select(1, index)": RUNTIME_ERROR
  auto y = torch::empty({offsets.size(0), table.size(1)}, table.options());
  bag_sums<<<offsets.size(0), table.size(1)>>>(rows.data_ptr<float>(), offsets.data_ptr<int64_t>(),  //~ "offsets.data_ptr<int64_t>()" -> "offsets.to(torch::kInt).data_ptr<int64_t>()": RUNTIME_ERROR
                                               y.data_ptr<float>(), offsets.size(0), index.size(0), table.size(1));
  return y;
}
