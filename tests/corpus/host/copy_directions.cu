/* Copies in every direction, each with its kind and its number of bytes.

def reference(x):
    return 2 * x + 1, x[:4].clone()

def inputs():
    return [torch.randn(64)]
*/
#include <cuda_runtime.h>
#include <torch/extension.h>
#include <vector>

#define CHECK(call) TORCH_CHECK((call) == cudaSuccess, #call, " failed")

__global__ void affine(const float* x, const float* factors, float* y) {
  y[threadIdx.x] = factors[0] * x[threadIdx.x] + factors[1];  //@affine
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  const size_t bytes = x.numel() * sizeof(float);
  const std::vector<float> factors = {2.0f, 1.0f};
  float *device_factors, *scratch, host[4];
  auto y = torch::empty_like(x), head = torch::empty({4}, x.options());
  CHECK(cudaMalloc(&device_factors, 2 * sizeof(float)));
  CHECK(cudaMalloc((void**)&scratch, bytes));  //~ "bytes" -> "bytes / 2": RUNTIME_ERROR gpu: PASSED
  CHECK(cudaMemcpy(device_factors, factors.data(), 2 * sizeof(float), cudaMemcpyHostToDevice));  //~ "HostToDevice" -> "DeviceToHost": RUNTIME_ERROR gpu: PASSED  //~ "HostToDevice" -> "DeviceToDevice": RUNTIME_ERROR gpu: PASSED  //~ "HostToDevice" -> "Default": PASSED  //~ "device_factors, factors.data()" -> "factors.data(), device_factors": COMPILE_ERROR @here  //~ "2 * sizeof(float)" -> "sizeof(float)": NON_FINITE
  CHECK(cudaMemcpy(scratch, x.data_ptr<float>(), bytes, cudaMemcpyDeviceToDevice));  //~ "bytes" -> "bytes + 4": RUNTIME_ERROR gpu: PASSED  //~ "DeviceToDevice" -> "HostToHost": RUNTIME_ERROR gpu: PASSED  //~ "DeviceToDevice" -> "HostToDevice": RUNTIME_ERROR gpu: PASSED
  affine<<<1, 64>>>(scratch, device_factors, y.data_ptr<float>());
  CHECK(cudaMemcpy(host, x.data_ptr<float>(), sizeof(host), cudaMemcpyDeviceToHost));  //~ "DeviceToHost" -> "HostToDevice": RUNTIME_ERROR gpu: PASSED  //~ "x.data_ptr" -> "y.data_ptr": WRONG_VALUES
  CHECK(cudaMemcpy(head.data_ptr<float>(), host, sizeof(host), cudaMemcpyHostToDevice));  //~ "sizeof(host)" -> "4": NON_FINITE
  CHECK(cudaFree(device_factors));
  CHECK(cudaFree(scratch));
  return {y, head};
}
