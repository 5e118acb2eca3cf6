/* Kernels made by macros with # and ##, messages in raw strings, an assertion and a look at the clock.

def reference(x):
    return x.exp(), x.sin(), x.float().cumsum(0)[-1:]

def inputs():
    return [torch.rand(40)]
*/
#include <assert.h>
#include <stdio.h>
#include <torch/extension.h>

#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))  //~ "(a) + (b) - 1" -> "(a)": NON_FINITE
#define TEXT_OF(x) #x
#define ELEMENTWISE(NAME, EXPRESSION)                                 \
  __global__ void NAME##_kernel(const float* x, float* y, int n) {    \
    const int i = blockIdx.x * blockDim.x + threadIdx.x;              \
    if (i < n) {                                                      \
      const float v = x[i];                                           \
      y[i] = EXPRESSION;                                              \
    }                                                                 \
  }                                                                   \
  static torch::Tensor NAME(torch::Tensor x) {                        \
    auto y = torch::empty_like(x);                                    \
    const int n = x.numel();                                          \
    NAME##_kernel<<<CEIL_DIV(n, 32), 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), n); \
    TORCH_CHECK(cudaGetLastError() == cudaSuccess, TEXT_OF(NAME) " failed"); \
    return y;                                                         \
  }

ELEMENTWISE(exponential, expf(v))  //~ "expf(v)" -> "expf(w)": COMPILE_ERROR @here
ELEMENTWISE(sine, sinf(v))  //~ "sinf(v)" -> "cosf(v)": WRONG_VALUES

__global__ void watched_sum(const float* x, float* sum, int n) {
  const long long start = clock64();
  float total = 0.0f;
  for (int i = 0; i < n; ++i) total += x[i];  //~ "i < n" -> "i <= n": ILLEGAL_MEMORY_ACCESS @here
  assert(n > 0 && "there is something to add");  //~ "n > 0" -> "n > 40": RUNTIME_ERROR @here
  const char* line = R"(sum "%s" of %d: %6.2f%% %c %llx
)";
  printf(line, "x", n, total, 'c', 0xffULL);
  sum[0] = clock64() - start >= 0 ? total : -1.0f;  //~ "- start >= 0" -> "- start < 0": WRONG_VALUES
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  auto sum = torch::empty({1}, x.options());
  watched_sum<<<1, 1>>>(x.data_ptr<float>(), sum.data_ptr<float>(), x.numel());
  return {exponential(x), sine(x), sum};  //~ "sine(x)" -> "sine_kernel(x)": COMPILE_ERROR @here
}
