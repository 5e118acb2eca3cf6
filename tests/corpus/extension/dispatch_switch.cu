/* A dispatch of one's own: float and double by AT_DISPATCH_SWITCH, anything else refused.

def reference(x, d):
    return x.sigmoid(), d.sigmoid()

def inputs():
    return [torch.randn(70), torch.randn(70, dtype=torch.float64)]
*/
#include <torch/extension.h>

#define DISPATCH_REAL(TYPE, NAME, ...)                                          \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                \
                     AT_DISPATCH_CASE(at::ScalarType::Float, __VA_ARGS__)       \
                         AT_DISPATCH_CASE(at::ScalarType::Double, __VA_ARGS__))

__device__ inline float exponential(float v) { return expf(v); }
__device__ inline double exponential(double v) { return exp(v); }

template <typename T>
__global__ void sigmoid(const T* x, T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = T(1) / (T(1) + exponential(-x[i]));  //~ "i < n" -> "true": ILLEGAL_MEMORY_ACCESS  //~ "(-x[i])" -> "(x[i])": WRONG_VALUES
}

torch::Tensor run(torch::Tensor x) {
  torch::Tensor y = torch::empty_like(x);
  DISPATCH_REAL(x.scalar_type(), "sigmoid", ([&] {  //~ "REAL(x.scalar_type()" -> "REAL(x.to(torch::kHalf).scalar_type()": RUNTIME_ERROR
    sigmoid<scalar_t><<<3, 32>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), (int)x.numel());
  }));
  return y;
}

std::vector<torch::Tensor> forward(torch::Tensor x, torch::Tensor d) { return {run(x), run(d)}; }  //~ "run(d)" -> "run(d).to(torch::kFloat)": WRONG_DTYPE
