/* The helper that turns an error of CUDA into an exception, after calls and after launches.

def reference(x):
    return x.cos()

def inputs():
    return [torch.randn(100)]
*/
#include <torch/extension.h>
#include <cstdio>
#include <stdexcept>
#include <string>

#define gpuErrchk(call) gpuAssert((call), __FILE__, __LINE__)

inline void gpuAssert(cudaError_t code, const char* file, int line, bool fail = true) {
  if (code == cudaSuccess) return;
  std::fprintf(stderr, "GPUassert: %s %s %d\n", cudaGetErrorString(code), file, line);
  if (fail) throw std::runtime_error(std::string(cudaGetErrorName(code)));  //~ delete: PASSED
}

__global__ void cosine(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = cosf(x[i]);  //@cosine  //~ "i < n" -> "i < 2 * n": ILLEGAL_MEMORY_ACCESS @cosine gpu: PASSED
}

torch::Tensor forward(torch::Tensor x) {
  const int n = x.numel();
  auto y = torch::empty_like(x);
  float* scratch;
  gpuErrchk(cudaMalloc(&scratch, n * sizeof(float)));  //~ "n * sizeof(float)" -> "size_t(-1)": RUNTIME_ERROR
  gpuErrchk(cudaMemset(scratch, 0, n * sizeof(float)));  //~ "n * sizeof" -> "n * n * sizeof": RUNTIME_ERROR gpu: PASSED
  cosine<<<n / 32 + 1, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);  //~ "n / 32 + 1, 32" -> "1, 2048": BAD_LAUNCH  //~ "n / 32 + 1, 32" -> "0, 32": BAD_LAUNCH
  gpuErrchk(cudaPeekAtLastError());
  gpuErrchk(cudaDeviceSynchronize());
  gpuErrchk(cudaGetLastError());
  gpuErrchk(cudaFree(scratch));  //~ "scratch" -> "&scratch": RUNTIME_ERROR
  return y;
}
