/* Names are defined once: a variable in its scope, a kernel with its parameters.

def reference(x):
    return x.abs() + x

def inputs():
    return [torch.randn(64)]
*/
#include <torch/extension.h>

__global__ void positive(const float* x, float* y);  //~ "float* y" -> "int* y": PASSED

__global__ void positive(const float* x, float* y) {  //~ "positive(const" -> "twice(const": COMPILE_ERROR
  const int i = threadIdx.x;
  y[i] = fabsf(x[i]);  //~ "y[i]" -> "int i = 0; y[i]": COMPILE_ERROR @here
}

__global__ void twice(const float* x, float* y) {  //@twice  //~ "twice" -> "positive": COMPILE_ERROR @here
  y[threadIdx.x] += x[threadIdx.x];
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  positive<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>());
  twice<<<1, 64>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}
