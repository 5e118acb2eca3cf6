/* Pinned host memory: host code fills it, and a kernel may read it in place.

def reference(x):
    return x + torch.arange(50.0)

def inputs():
    return [torch.randn(50)]
*/
#include <torch/extension.h>

#define CHECK(call) TORCH_CHECK((call) == cudaSuccess, #call, " failed")

__global__ void add(const float* x, const float* ramp, float* y, int n) {
  if (threadIdx.x < n) y[threadIdx.x] = x[threadIdx.x] + ramp[threadIdx.x];  //@add
}

torch::Tensor forward(torch::Tensor x) {
  const int n = x.numel();
  auto y = torch::empty_like(x);
  float *pinned, *on_device;
  CHECK(cudaMallocHost(&pinned, n * sizeof(float)));  //~ "cudaMallocHost(&pinned, n * sizeof(float))" -> "cudaHostAlloc(&pinned, n * sizeof(float), cudaHostAllocDefault)": PASSED  //~ "cudaMallocHost" -> "cudaMalloc": ILLEGAL_MEMORY_ACCESS @fill
  CHECK(cudaMalloc(&on_device, n * sizeof(float)));
  for (int i = 0; i < n; ++i) pinned[i] = i;  //@fill
  CHECK(cudaMemcpyAsync(on_device, pinned, n * sizeof(float), cudaMemcpyHostToDevice));  //~ delete: NON_FINITE
  add<<<1, 64>>>(x.data_ptr<float>(), on_device, y.data_ptr<float>(), n);  //~ "on_device" -> "pinned": PASSED  //~ "on_device" -> "pinned + 1": ILLEGAL_MEMORY_ACCESS @add gpu: PASSED
  CHECK(cudaFree(on_device));  //~ "on_device" -> "pinned": RUNTIME_ERROR
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFreeHost(pinned));  //~ delete: PASSED  //~ "pinned" -> "pinned + 1": RUNTIME_ERROR  //~ "CHECK(cudaFreeHost(pinned));" -> "cudaFreeHost(pinned); CHECK(cudaFreeHost(pinned));": RUNTIME_ERROR
  return y;
}
