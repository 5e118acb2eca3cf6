/* A kernel is timed by two events; the time is no part of the result.

def reference(x):
    return x.tanh()

def inputs():
    return [torch.randn(33, 9)]
*/
#include <torch/extension.h>

#define CHECK(call) TORCH_CHECK((call) == cudaSuccess, #call, " failed")

__global__ void squash(const float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = tanhf(x[i]);
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  cudaEvent_t start, stop;
  CHECK(cudaEventCreate(&start));  //~ "cudaEventCreate(&start)" -> "cudaEventCreateWithFlags(&start, cudaEventDisableTiming)": RUNTIME_ERROR
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaEventRecord(start));  //~ delete: RUNTIME_ERROR
  squash<<<1, 96>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());
  CHECK(cudaEventRecord(stop, 0));  //~ delete: RUNTIME_ERROR
  CHECK(cudaEventSynchronize(stop));
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  TORCH_CHECK(milliseconds >= 0 && milliseconds < 60000);  //~ "milliseconds >= 0" -> "milliseconds < 0": RUNTIME_ERROR
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  return y;
}
