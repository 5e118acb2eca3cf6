/* A kernel that waits by its clock, and counts with it what no result depends on.

def reference(x):
    return x * 3

def inputs():
    return [torch.randn(128)]
*/
#include <torch/extension.h>

__device__ long long spent;

__global__ void triple(const float* x, float* y) {
  const long long begin = clock64();
  const clock_t from = clock();
  while (clock64() - begin < 2000) {
  }
  y[threadIdx.x] = 3 * x[threadIdx.x];
  const clock_t until = clock();  //~ "clock()" -> "time(nullptr)": COMPILE_ERROR @here
  if (until == from) y[threadIdx.x] = 0;
  if (threadIdx.x == 0) spent = clock64() - begin;
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  triple<<<1, 128>>>(x.data_ptr<float>(), y.data_ptr<float>());
  long long host = 0;
  cudaMemcpyFromSymbol(&host, spent, sizeof(host));
  TORCH_CHECK(host >= 2000);  //~ "host >= 2000" -> "host < 2000": RUNTIME_ERROR
  return y;
}
