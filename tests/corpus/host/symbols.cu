/* Copies to and from variables that live on the device.

def reference(x):
    return x * torch.tensor([1.0, 2, 3, 4]) + x.numel()

def inputs():
    return [torch.randn(15, 4)]
*/
#include <torch/extension.h>

#define CHECK(call) TORCH_CHECK((call) == cudaSuccess, #call, " failed")

__constant__ float weights[4];
__device__ int counted;

__global__ void count(int n) { atomicAdd(&counted, n); }

__global__ void weigh(const float* x, float* y, const int* shift, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] * weights[i % 4] + shift[0];  //@weigh
}

torch::Tensor forward(torch::Tensor x) {
  const float host[4] = {1, 2, 3, 4};
  const int zero = 0;
  CHECK(cudaMemcpyToSymbol(weights, host, 2 * sizeof(float)));  //~ delete: WRONG_VALUES  //~ "2 * sizeof" -> "5 * sizeof": RUNTIME_ERROR  //~ "weights, host" -> "&weights, host": RUNTIME_ERROR
  CHECK(cudaMemcpyToSymbol(weights, host + 2, 2 * sizeof(float), 2 * sizeof(float)));  //~ ", 2 * sizeof(float)));" -> "));": WRONG_VALUES  //~ "2 * sizeof(float), 2" -> "2 * sizeof(float), 3": RUNTIME_ERROR  //~ "2 * sizeof(float)));" -> "2 * sizeof(float), cudaMemcpyDeviceToHost));": RUNTIME_ERROR
  CHECK(cudaMemcpyToSymbol(counted, &zero, sizeof(zero)));  //~ delete: RUNTIME_ERROR
  count<<<1, 1>>>(x.numel());
  int seen = -1;
  CHECK(cudaMemcpyFromSymbol(&seen, counted, sizeof(seen)));  //~ delete: RUNTIME_ERROR  //~ "sizeof(seen)" -> "2 * sizeof(seen)": RUNTIME_ERROR
  TORCH_CHECK(seen == x.numel());
  int* address = nullptr;
  CHECK(cudaGetSymbolAddress((void**)&address, counted));  //~ delete: RUNTIME_ERROR
  CHECK(cudaMemcpy(address, &seen, sizeof(seen), cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(&seen, address, sizeof(seen), cudaMemcpyDeviceToHost));
  auto y = torch::empty_like(x);
  weigh<<<1, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), address, seen);  //~ "address" -> "&seen": ILLEGAL_MEMORY_ACCESS @weigh gpu: PASSED
  return y;
}
