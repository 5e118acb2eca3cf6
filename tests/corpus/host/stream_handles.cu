/* A stream is used between its creation and its destruction; copies and fills may go to it.

def reference(x):
    return torch.cat([x.flip(0), torch.zeros(5)])

def inputs():
    return [torch.randn(77)]
*/
#include <torch/extension.h>

#define CHECK(call) TORCH_CHECK((call) == cudaSuccess, #call, " failed")

__global__ void reverse(const float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[n - 1 - i];
}

torch::Tensor forward(torch::Tensor x) {
  const int n = x.numel();
  auto y = torch::empty({n + 5}, x.options());
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  float* copy;
  CHECK(cudaMallocAsync(&copy, n * sizeof(float), stream));
  CHECK(cudaMemcpyAsync(copy, x.data_ptr<float>(), n * sizeof(float), cudaMemcpyDeviceToDevice, stream));  //~ delete: NON_FINITE  //~ "cudaMemcpyDeviceToDevice" -> "cudaMemcpyDefault": PASSED  //~ "n * sizeof(float)" -> "n": NON_FINITE
  CHECK(cudaMemsetAsync(y.data_ptr<float>() + n, 0, 5 * sizeof(float), stream));  //~ delete: NON_FINITE  //~ "5 * sizeof" -> "6 * sizeof": RUNTIME_ERROR gpu: PASSED  //~ "+ n, 0" -> "+ n, 66": WRONG_VALUES
  reverse<<<1, 64, 0, stream>>>(copy, y.data_ptr<float>(), n);  //~ "reverse<<<" -> "cudaStreamDestroy(stream), reverse<<<": BAD_LAUNCH gpu: PASSED
  CHECK(cudaGetLastError());
  CHECK(cudaFreeAsync(copy, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaStreamDestroy(stream));  //~ delete: PASSED  //~ "CHECK(cudaStreamDestroy(stream));" -> "cudaStreamDestroy(stream); CHECK(cudaStreamSynchronize(stream));": RUNTIME_ERROR gpu: PASSED
  return y;
}
