/* The middle of a matrix cut out by cudaMemcpy2D, then squared.

def reference(x):
    return x[2:7, 3:11].square()

def inputs():
    return [torch.randn(9, 16)]
*/
#include <torch/extension.h>

#define CHECK(call) TORCH_CHECK((call) == cudaSuccess, #call, " failed")

__global__ void square(float* y, int n) {
  if (threadIdx.x < n) y[threadIdx.x] *= y[threadIdx.x];
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty({5, 8}, x.options());
  const size_t from_pitch = x.size(1) * sizeof(float), width = 8 * sizeof(float);  //~ "8 * sizeof(float)" -> "20 * sizeof(float)": RUNTIME_ERROR  //~ "x.size(1)" -> "x.size(0)": WRONG_VALUES
  CHECK(cudaMemcpy2D(y.data_ptr<float>(), width, x.data_ptr<float>() + 2 * 16 + 3, from_pitch, width, 5,  //~ "width, 5," -> "width, 4,": NON_FINITE  //~ "width, 5," -> "width, 6,": RUNTIME_ERROR gpu: PASSED  //~ "+ 2 * 16 + 3" -> "+ 5 * 16 + 3": RUNTIME_ERROR gpu: PASSED
                     cudaMemcpyDeviceToDevice));  //~ "DeviceToDevice" -> "DeviceToHost": RUNTIME_ERROR gpu: PASSED
  square<<<1, 64>>>(y.data_ptr<float>(), y.numel());
  return y;
}
