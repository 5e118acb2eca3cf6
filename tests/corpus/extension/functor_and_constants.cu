/* A functor given to a templated kernel, coefficients in constant memory, a bound lambda.

def reference(x):
    c = torch.tensor([1.0, 2, 3, 4]).repeat(47)[: x.numel()].view_as(x)
    return torch.nn.functional.gelu(x) * c

def inputs():
    return [torch.randn(5, 37)]
*/
#include <torch/extension.h>
#include <algorithm>
#include <limits>

__constant__ float coefficients[4];

struct Gelu {
  __device__ __forceinline__ float operator()(float x) const {
    return 0.5f * x * (1.0f + erff(x * 0.70710678118654752f));
  }
};

template <typename F>
__global__ void map_kernel(const float* x, float* y, int n, F f) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = f(x[i]) * coefficients[i & 3];  //~ "[i & 3]" -> "[i]": ILLEGAL_MEMORY_ACCESS @here
}

static inline int ceil_div(int a, int b) { return (a + b - 1) / b; }

torch::Tensor forward(torch::Tensor x) {
  float host[4] = {1.f, 2.f, 3.f, 4.f};
  cudaMemcpyToSymbol(coefficients, host, sizeof(host));  //~ "cudaMemcpyToSymbol(coefficients, host, sizeof(host))" -> "(void)host": WRONG_VALUES
  auto y = torch::empty_like(x);
  const int n = x.numel();
  const int blocks = std::min(ceil_div(n, 128), std::numeric_limits<int>::max());
  map_kernel<<<blocks, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), n, Gelu{});
  return y;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", [](torch::Tensor x) { return forward(x.contiguous()); });
  m.def("double_it", torch::wrap_pybind_function(forward), "doubles");
}
