/* Facts about each row from the barriers that count: how many are positive, all, any above two.

def reference(x):
    return torch.stack([(x > 0).sum(1), (x > 0).all(1), (x > 2).any(1)], 1).int()

def inputs():
    x = torch.randn(5, 50)
    x[1] = x[1].abs() + 0.1
    x[2] = -x[2].abs() - 0.1
    return [x]
*/
#include <torch/extension.h>

__global__ void facts(const float* x, int* out, int width) {
  const bool inside = threadIdx.x < width;
  const float mine = inside ? x[blockIdx.x * width + threadIdx.x] : 0.0f;
  const int count = __syncthreads_count(mine > 0.0f);  //~ "__syncthreads_count(mine > 0.0f)" -> "mine > 0.0f": WRONG_VALUES  //~ "mine > 0.0f" -> "mine >= 0.0f": WRONG_VALUES
  const int all = __syncthreads_and(!inside || mine > 0.0f);  //~ "!inside || mine" -> "mine": WRONG_VALUES  //~ "__syncthreads_and(" -> "__syncthreads_or(": WRONG_VALUES
  const int any = __syncthreads_or(mine > 2.0f);  //~ "2.0f" -> "-9.0f": WRONG_VALUES
  if (threadIdx.x < 3) {
    const int facts[3] = {count, all != 0, any != 0};
    out[blockIdx.x * 3 + threadIdx.x] = facts[threadIdx.x];
  }
}

torch::Tensor forward(torch::Tensor x) {
  auto out = torch::empty({x.size(0), 3}, x.options().dtype(torch::kInt));
  facts<<<x.size(0), 64>>>(x.data_ptr<float>(), out.data_ptr<int>(), x.size(1));
  return out;
}
