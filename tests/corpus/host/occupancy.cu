/* Launches sized by the occupancy queries, which know a kernel's __launch_bounds__.

def reference(x):
    return x.sigmoid()

def inputs():
    return [torch.randn(41, 53)]
*/
#include <torch/extension.h>

#define CHECK(call) TORCH_CHECK((call) == cudaSuccess, #call, " failed")

__global__ void __launch_bounds__(256) sigmoid(const float* x, float* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = 1 / (1 + expf(-x[i]));
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  int grid = 0, block = 0, resident = 0, limited = 0, unused = 0;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, sigmoid, 0, 0));  //~ delete: RUNTIME_ERROR
  CHECK(cudaOccupancyMaxPotentialBlockSize(&unused, &limited, sigmoid, 0, 64));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, sigmoid, block, 0));
  TORCH_CHECK(grid > 0 && block > 0 && resident > 0 && limited <= 64);
  sigmoid<<<grid, block>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());  //~ "grid, block" -> "grid, 1024": BAD_LAUNCH  //~ "grid, block" -> "resident, limited": PASSED
  return y;
}
