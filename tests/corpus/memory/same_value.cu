/* Flags that many threads set, all to the same value: a race that no program can notice.

def reference(x):
    present = torch.zeros(40, dtype=torch.bool)
    present[x.long()] = True
    return present, torch.tensor([bool((x == 7).any())])

def inputs():
    return [torch.randint(0, 40, (150,), dtype=torch.int32).clamp(max=38)]
*/
#include <torch/extension.h>

__global__ void mark(const int* x, bool* present, bool* seven, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  present[x[i]] = true;  //~ "true" -> "i % 2": DATA_RACE @here  //~ "true" -> "!present[x[i]]": DATA_RACE @here
  if (x[i] == 7) *seven = true;  //~ "if (x[i] == 7) *seven = true" -> "*seven = x[i] == 7": DATA_RACE @here
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  auto present = torch::zeros({40}, x.options().dtype(torch::kBool));
  auto seven = torch::zeros({1}, x.options().dtype(at::kBool));
  mark<<<3, 64>>>(x.data_ptr<int>(), present.data_ptr<bool>(), seven.data_ptr<bool>(), x.numel());
  return {present, seven};
}
