/* Column sums of a matrix copied into pitched memory, whose rows start 512 bytes apart.

def reference(x):
    return x.sum(0)

def inputs():
    return [torch.randn(9, 30)]
*/
#include <cuda_runtime.h>
#include <torch/extension.h>

__global__ void column_sums(const char* base, size_t pitch, float* sums, int rows, int cols) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols) return;  //~ "c >= cols" -> "c > cols": ILLEGAL_MEMORY_ACCESS @store
  float sum = 0.0f;
  for (int r = 0; r < rows; ++r) {  //~ "r < rows" -> "r <= rows": ILLEGAL_MEMORY_ACCESS @load
    const float* row = reinterpret_cast<const float*>(base + r * pitch);  //~ "base + r * pitch" -> "base + r * pitch * 4": ILLEGAL_MEMORY_ACCESS @load
    sum += row[c];  //@load
  }
  sums[c] = sum;  //@store
}

torch::Tensor forward(torch::Tensor x) {
  const int rows = x.size(0), cols = x.size(1);
  auto sums = torch::empty({cols}, x.options());
  char* base;
  size_t pitch;
  cudaMallocPitch(&base, &pitch, cols * sizeof(float), rows);  //~ ", rows)" -> ", rows - 1)": ILLEGAL_MEMORY_ACCESS @load
  cudaMemcpy2D(base, pitch, x.data_ptr<float>(), cols * sizeof(float), cols * sizeof(float), rows,
               cudaMemcpyDeviceToDevice);
  column_sums<<<1, 32>>>(base, pitch, sums.data_ptr<float>(), rows, cols);
  cudaFree(base);
  return sums;
}
