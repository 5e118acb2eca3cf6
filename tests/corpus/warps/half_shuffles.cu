/* Neighbours swapped in rows of halves, of pairs of halves and of bfloat16: shuffles of 16 and
32 bits.

def reference(h, b):
    swapped = h.view(-1, 4)[:, [2, 3, 0, 1]].reshape(h.shape)
    return swapped, b.flip(0)

def inputs():
    return [torch.randn(64).half(), torch.randn(32).bfloat16()]
*/
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <torch/extension.h>

#include <tuple>

__global__ void swap_pairs(const __half2* x, __half2* y) {
  const __half2 mine = x[threadIdx.x];
  y[threadIdx.x] = __shfl_xor_sync(0xffffffff, mine, 1);  //~ "mine, 1)" -> "mine, 2)": WRONG_VALUES
}

__global__ void reverse(const __nv_bfloat16* x, __nv_bfloat16* y) {
  const __nv_bfloat16 mine = x[threadIdx.x];
  y[threadIdx.x] = __shfl_sync(0xffffffff, mine, 31 - threadIdx.x);  //~ "31" -> "32": WRONG_VALUES
}

std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor h, torch::Tensor b) {
  auto swapped = torch::empty_like(h), reversed = torch::empty_like(b);
  swap_pairs<<<1, 32>>>(reinterpret_cast<const __half2*>(h.data_ptr<at::Half>()),
                        reinterpret_cast<__half2*>(swapped.data_ptr<at::Half>()));
  reverse<<<1, 32>>>(reinterpret_cast<const __nv_bfloat16*>(b.data_ptr<at::BFloat16>()),
                     reinterpret_cast<__nv_bfloat16*>(reversed.data_ptr<at::BFloat16>()));
  return {swapped, reversed};
}
