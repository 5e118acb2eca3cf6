/* Grid and block come from what the device says of itself.

def reference(x):
    return x * x.shape[0]

def inputs():
    return [torch.randn(70, 30)]
*/
#include <torch/extension.h>

#define CHECK(call) TORCH_CHECK((call) == cudaSuccess, #call, " failed")

__global__ void scale(const float* x, float* y, float by, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    y[i] = by * x[i];
}

torch::Tensor forward(torch::Tensor x) {
  int devices = 0, device = -1, processors = 0, warp = 0;
  CHECK(cudaGetDeviceCount(&devices));
  CHECK(cudaGetDevice(&device));  //~ delete: RUNTIME_ERROR
  CHECK(cudaSetDevice(device));  //~ "(device)" -> "(devices)": RUNTIME_ERROR
  cudaDeviceProp properties;
  CHECK(cudaGetDeviceProperties(&properties, device));  //~ "device)" -> "device + devices)": RUNTIME_ERROR
  CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  CHECK(cudaDeviceGetAttribute(&warp, cudaDevAttrWarpSize, device));
  TORCH_CHECK(processors == properties.multiProcessorCount && warp == properties.warpSize);  //~ "warpSize)" -> "warpSze)": COMPILE_ERROR @here
  TORCH_CHECK(properties.sharedMemPerBlockOptin >= properties.sharedMemPerBlock);  //~ "properties.sharedMemPerBlockOptin >= properties.sharedMemPerBlock" -> "properties.clockRate > 0": COMPILE_ERROR @here  //~ "properties.sharedMemPerBlockOptin >= properties.sharedMemPerBlock" -> "cudaThreadSynchronize() == 0": COMPILE_ERROR @here
  cudaFuncAttributes attributes;
  CHECK(cudaFuncGetAttributes(&attributes, scale));
  TORCH_CHECK(attributes.maxThreadsPerBlock >= 8 * warp && attributes.sharedSizeBytes == 0);
  auto y = torch::empty_like(x);
  scale<<<processors, 8 * warp>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(0), x.numel());  //~ "8 * warp" -> "2 * attributes.maxThreadsPerBlock": BAD_LAUNCH  //~ "processors, 8" -> "properties.maxGridSize[0] + 1u, 8": BAD_LAUNCH
  return y;
}
