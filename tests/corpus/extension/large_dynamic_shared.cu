/* More dynamic shared memory than 48 KiB, which a kernel has to be granted before its launch.

def reference(x):
    return x.flip(1)

def inputs():
    return [torch.randn(2, 16000)]
*/
#include <c10/cuda/CUDAException.h>
#include <torch/extension.h>

__global__ void reverse_rows(const float* x, float* y, int cols) {
  extern __shared__ float row[];
  for (int c = threadIdx.x; c < cols; c += blockDim.x) row[c] = x[blockIdx.x * cols + c];
  __syncthreads();  //~ delete: DATA_RACE
  for (int c = threadIdx.x; c < cols; c += blockDim.x) y[blockIdx.x * cols + c] = row[cols - 1 - c];  //~ "cols - 1 - c" -> "cols - c": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int cols = x.size(1);
  const size_t bytes = cols * sizeof(float);
  C10_CUDA_CHECK(cudaFuncSetAttribute(reverse_rows, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes));  //~ delete: BAD_LAUNCH
  reverse_rows<<<x.size(0), 256, bytes>>>(x.data_ptr<float>(), y.data_ptr<float>(), cols);  //~ "256, bytes" -> "256, 40000": ILLEGAL_MEMORY_ACCESS
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return y;
}
