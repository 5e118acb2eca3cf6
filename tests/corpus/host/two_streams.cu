/* Two streams of the extension's own, ordered by an event, and torch's stream after both.

def reference(x):
    return 3 * x.cumsum(0) + 1

def inputs():
    return [torch.randn(500)]
*/
#include <torch/extension.h>

#define CHECK(call) TORCH_CHECK((call) == cudaSuccess, #call)

__global__ void sum_up(const float* x, float* y, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) y[i] = sum += x[i];
}

__global__ void scale(float* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = 3 * y[i] + 1;
}

torch::Tensor forward(torch::Tensor x) {
  const int n = x.numel();
  auto y = torch::empty_like(x);
  cudaStream_t first, second;
  cudaEvent_t summed;
  CHECK(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CHECK(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  CHECK(cudaEventCreateWithFlags(&summed, cudaEventDisableTiming));
  CHECK(cudaDeviceSynchronize());
  sum_up<<<1, 1, 0, first>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  CHECK(cudaEventRecord(summed, first));  //~ delete: DATA_RACE gpu: PASSED gap  //~ "first" -> "second": DATA_RACE gpu: PASSED gap
  CHECK(cudaStreamWaitEvent(second, summed, 0));  //~ delete: DATA_RACE gpu: PASSED gap  //~ "(second" -> "(first": DATA_RACE gpu: PASSED gap
  scale<<<1, 64, 0, second>>>(y.data_ptr<float>(), n);  //~ "second" -> "first": PASSED
  CHECK(cudaStreamSynchronize(second));  //~ delete: DATA_RACE gpu: PASSED gap  //~ "(second)" -> "(first)": DATA_RACE gpu: PASSED gap
  CHECK(cudaEventDestroy(summed));
  CHECK(cudaStreamDestroy(first));
  CHECK(cudaStreamDestroy(second));
  return y;
}
