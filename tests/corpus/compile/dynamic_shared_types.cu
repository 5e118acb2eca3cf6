/* Two kernels with dynamic shared memory of different types need different names for it.

def reference(x):
    return x.sum(1), (x > 0).sum(1).int()

def inputs():
    return [torch.randn(4, 61)]
*/
#include <torch/extension.h>

__global__ void row_sums(const float* x, float* sums, int width) {
  extern __shared__ float floats[];
  const int t = threadIdx.x;
  floats[t] = 0;
  for (int i = t; i < width; i += blockDim.x) floats[t] += x[blockIdx.x * width + i];
  __syncthreads();
  if (t == 0) {
    for (int k = 1; k < blockDim.x; ++k) floats[0] += floats[k];
    sums[blockIdx.x] = floats[0];
  }
}

__global__ void row_counts(const float* x, int* counts, int width) {
  extern __shared__ int ints[];  //~ "int ints[]" -> "int floats[]": COMPILE_ERROR @here
  const int t = threadIdx.x;
  ints[t] = 0;  //~ "ints[t] = 0" -> "floats[t] = 0; int* ints = floats": COMPILE_ERROR @here
  for (int i = t; i < width; i += blockDim.x) ints[t] += x[blockIdx.x * width + i] > 0;
  __syncthreads();
  if (t == 0) {
    for (int k = 1; k < blockDim.x; ++k) ints[0] += ints[k];
    counts[blockIdx.x] = ints[0];
  }
}

std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor x) {
  const int rows = x.size(0), width = x.size(1);
  auto sums = torch::empty({rows}, x.options());
  auto counts = torch::empty({rows}, x.options().dtype(torch::kInt));
  row_sums<<<rows, 32, 32 * sizeof(float)>>>(x.data_ptr<float>(), sums.data_ptr<float>(), width);
  row_counts<<<rows, 32, 32 * sizeof(int)>>>(x.data_ptr<float>(), counts.data_ptr<int>(), width);
  return {sums, counts};
}
