/* Sums of small integers, exact in half precision, by the atomics of half, half2 and bfloat16.

def reference(x):
    return x.sum(0), x.reshape(-1, 2).sum(0), x.sum().reshape(1).bfloat16()

def inputs():
    return [torch.randint(-2, 3, (40, 6)).half()]
*/
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <torch/extension.h>

__global__ void sums(const __half* x, __half* columns, __half2* pair, __nv_bfloat16* all, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&columns[i % 6], x[i]);  //~ "atomicAdd(&columns[i % 6], x[i])" -> "columns[i % 6] = __hadd(columns[i % 6], x[i])": DATA_RACE @here  //~ "i % 6" -> "i % 7": ILLEGAL_MEMORY_ACCESS @here
  atomicAdd(all, __float2bfloat16(__half2float(x[i])));
  if (i % 2 == 0) atomicAdd(pair, __halves2half2(x[i], x[i + 1]));  //~ "i % 2 == 0" -> "true": ILLEGAL_MEMORY_ACCESS @here  //~ "x[i], x[i + 1]" -> "x[i + 1], x[i]": WRONG_VALUES
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  auto columns = torch::zeros({6}, x.options()), pair = torch::zeros({2}, x.options());
  auto all = torch::zeros({1}, x.options().dtype(torch::kBFloat16));
  const int n = x.numel();
  sums<<<(n + 95) / 96, 96>>>(reinterpret_cast<const __half*>(x.data_ptr<at::Half>()),
                              reinterpret_cast<__half*>(columns.data_ptr<at::Half>()),
                              reinterpret_cast<__half2*>(pair.data_ptr<at::Half>()),
                              reinterpret_cast<__nv_bfloat16*>(all.data_ptr<at::BFloat16>()), n);
  return {columns, pair, all};
}
