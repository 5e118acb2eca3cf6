/* For each row of flags: whether all are set, whether any is, and whether they agree.

def reference(flags):
    every, some = (flags != 0).all(1), (flags != 0).any(1)
    return torch.stack([every, some, every | ~some], 1).to(torch.int32)

def inputs():
    flags = torch.randint(0, 2, (6, 23), dtype=torch.int32)
    flags[1], flags[3], flags[4] = 1, 0, 2
    return [flags]
*/
#include <torch/extension.h>

__global__ void vote(const int* flags, int* out, int cols) {
  const unsigned mask = __ballot_sync(0xffffffff, threadIdx.x < cols);  // who has a flag
  if (threadIdx.x < cols) {
    const int flag = flags[blockIdx.x * cols + threadIdx.x];
    const int all = __all_sync(mask, flag), any = __any_sync(mask, flag);  //~ "__all_sync(mask" -> "__all_sync(0xffffffff": DIVERGENT_BARRIER
    const int agreed = __uni_sync(mask, flag);  //~ "__uni_sync(mask, flag)" -> "__all_sync(mask, flag)": WRONG_VALUES
    if (threadIdx.x == 0) {
      out[blockIdx.x * 3] = all;  //~ "all" -> "any": WRONG_VALUES
      out[blockIdx.x * 3 + 1] = any;
      out[blockIdx.x * 3 + 2] = agreed;
    }
  }
  __syncwarp();
}

torch::Tensor forward(torch::Tensor flags) {
  const int rows = flags.size(0), cols = flags.size(1);
  torch::Tensor out = torch::empty({rows, 3}, flags.options());
  vote<<<rows, 32>>>(flags.data_ptr<int>(), out.data_ptr<int>(), cols);
  return out;
}
