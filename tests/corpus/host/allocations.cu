/* Memory from cudaMalloc is freed once; what torch allocated is torch's to free.

def reference(x):
    return x.exp() + x

def inputs():
    return [torch.randn(48)]
*/
#include <torch/extension.h>

#define CHECK(call) TORCH_CHECK((call) == cudaSuccess, #call, " failed")

__global__ void exponent(const float* x, float* e) { e[threadIdx.x] = expf(x[threadIdx.x]); }

__global__ void add(const float* x, const float* e, float* y) {
  y[threadIdx.x] = x[threadIdx.x] + e[threadIdx.x];  //@add
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  float* e = nullptr;
  CHECK(cudaFree(e));
  CHECK(cudaMalloc(&e, 48 * sizeof(float)));  //~ "48 * sizeof(float)" -> "1ull << 50": RUNTIME_ERROR
  exponent<<<1, 48>>>(x.data_ptr<float>(), e);
  add<<<1, 48>>>(x.data_ptr<float>(), e, y.data_ptr<float>());  //~ "add<<<" -> "cudaFree(e), add<<<": ILLEGAL_MEMORY_ACCESS @add gpu: PASSED
  CHECK(cudaFree(e));  //~ delete: PASSED  //~ "cudaFree(e)" -> "cudaFree(e + 4)": RUNTIME_ERROR  //~ "CHECK(cudaFree(e));" -> "cudaFree(e); CHECK(cudaFree(e));": RUNTIME_ERROR  //~ "cudaFree(e)" -> "cudaFreeHost(e)": RUNTIME_ERROR  //~ "cudaFree(e)" -> "cudaFree(y.data_ptr<float>())": RUNTIME_ERROR  //~ "CHECK(cudaFree(e));" -> "free(e);": RUNTIME_ERROR
  return y;
}
