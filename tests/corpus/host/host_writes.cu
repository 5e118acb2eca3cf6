/* A table that host code makes and copies to the device, whose memory it cannot write itself.

def reference(x):
    w = torch.cat([torch.full((20,), 0.5), torch.arange(20.0)])
    return x * w

def inputs():
    return [torch.randn(13, 40)]
*/
#include <torch/extension.h>
#include <algorithm>
#include <cstring>
#include <vector>

__global__ void weigh(const float* x, const float* w, float* y, int cols) {
  for (int c = threadIdx.x; c < cols; c += blockDim.x) {
    const int i = blockIdx.x * cols + c;
    y[i] = x[i] * w[c];  //@weigh
  }
}

torch::Tensor forward(torch::Tensor x) {
  const int cols = x.size(1);
  std::vector<float> table(cols);
  auto w = torch::empty({cols}, x.options());
  float* on_device = w.data_ptr<float>();
  std::fill(table.begin(), table.begin() + 20, 0.5f);  //~ "table.begin(), table.begin() + 20" -> "on_device, on_device + 20": ILLEGAL_MEMORY_ACCESS
  for (int c = 20; c < cols; ++c) table[c] = c - 20;  //~ "table[c] =" -> "on_device[c] =": ILLEGAL_MEMORY_ACCESS @here
  cudaMemcpy(on_device, table.data(), cols * sizeof(float), cudaMemcpyHostToDevice);  //~ delete: NON_FINITE  //~ "cudaMemcpy(on_device, table.data(), cols * sizeof(float), cudaMemcpyHostToDevice)" -> "std::memcpy(on_device, table.data(), cols * sizeof(float))": ILLEGAL_MEMORY_ACCESS @here  //~ "cudaMemcpy(on_device, table.data(), cols * sizeof(float), cudaMemcpyHostToDevice)" -> "std::copy(table.begin(), table.end(), on_device)": ILLEGAL_MEMORY_ACCESS  //~ "cudaMemcpy(on_device, table.data(), cols * sizeof(float), cudaMemcpyHostToDevice)" -> "std::memset(on_device, 0, cols * sizeof(float))": ILLEGAL_MEMORY_ACCESS @here
  auto y = torch::empty_like(x);
  weigh<<<x.size(0), 32>>>(x.data_ptr<float>(), on_device, y.data_ptr<float>(), cols);  //~ "on_device" -> "table.data()": ILLEGAL_MEMORY_ACCESS @weigh gpu: PASSED
  return y;
}
