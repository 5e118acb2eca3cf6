/* Squares over their maximum, which host code finds in a copy: it cannot read device memory.

def reference(x):
    y = x.square()
    return y / y.max()

def inputs():
    return [torch.randn(19, 7)]
*/
#include <torch/extension.h>
#include <algorithm>
#include <cstring>

__global__ void square(const float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = x[i] * x[i];  //@square
}

__global__ void divide(float* y, float by, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] /= by;  //~ delete: WRONG_VALUES
}

torch::Tensor forward(torch::Tensor x) {
  const int n = x.numel();
  auto y = torch::empty_like(x);
  float* on_device = y.data_ptr<float>();
  square<<<1, 64>>>(x.data_ptr<float>(), on_device, n);
  const torch::Tensor copy = y.cpu();
  const float* p = copy.data_ptr<float>();  //~ "copy.data_ptr<float>()" -> "on_device": ILLEGAL_MEMORY_ACCESS @first
  float largest = p[0];  //@first  //~ "p[0]" -> "*on_device": ILLEGAL_MEMORY_ACCESS @here
  for (int i = 0; i < n; ++i)
    if (p[i] > largest) largest = p[i];
  const float last = copy.flatten()[n - 1].item<float>();
  float again;
  std::memcpy(&again, p + n - 1, sizeof(float));  //~ "p + n - 1" -> "on_device + n - 1": ILLEGAL_MEMORY_ACCESS @here
  TORCH_CHECK(last == again && *std::max_element(p, p + n) == largest);  //~ "(p, p + n)" -> "(on_device, on_device + n)": ILLEGAL_MEMORY_ACCESS
  divide<<<1, 64>>>(on_device, largest, n);
  return y;
}
