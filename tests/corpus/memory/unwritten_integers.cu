/* Counts of each residue modulo eight as 64-bit integers; an allocation that is not cleared holds
memory nobody wrote.

def reference(x):
    return torch.bincount(x % 8, minlength=8)

def inputs():
    return [torch.randint(0, 1000, (90,))]
*/
#include <cuda_runtime.h>
#include <torch/extension.h>

__global__ void residues(const int64_t* x, unsigned long long* counts, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[x[i] % 8], 1ULL);
}

torch::Tensor forward(torch::Tensor x) {
  unsigned long long* counts;
  cudaMalloc(&counts, 8 * sizeof(*counts));
  cudaMemset(counts, 0, 8 * sizeof(*counts));  //~ delete: WRONG_VALUES  //~ "8 * sizeof(*counts)" -> "8": WRONG_VALUES
  residues<<<3, 32>>>(x.data_ptr<int64_t>(), counts, x.numel());
  auto out = torch::empty({8}, x.options());
  cudaMemcpy(out.data_ptr<int64_t>(), counts, 8 * sizeof(*counts), cudaMemcpyDeviceToDevice);
  cudaFree(counts);
  return out;
}
