/* Weights that the host computes with an accessor on a CPU tensor, then sends to the device.

def reference(x):
    k = torch.arange(x.size(1), dtype=torch.float32)
    return x * (k * k + 1)

def inputs():
    return [torch.randn(6, 9)]
*/
#include <torch/extension.h>

__global__ void weigh(const float* x, const float* w, float* y, int rows, int cols) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i < rows * cols) y[i] = x[i] * w[i % cols];  //@use
}

torch::Tensor forward(torch::Tensor x) {
  auto host = torch::empty({x.size(1)}, torch::kFloat32);
  auto a = host.accessor<float, 1>();  //~ "<float, 1>" -> "<float, 2>": COMPILE_ERROR  //~ "<float, 1>" -> "<double, 1>": RUNTIME_ERROR
  for (int64_t k = 0; k < a.size(0); ++k) a[k] = k * k + 1;  //~ "k * k + 1" -> "k * k": WRONG_VALUES
  auto w = host.to(x.device());  //~ "host.to(x.device())" -> "host": ILLEGAL_MEMORY_ACCESS @use
  auto y = torch::empty_like(x);
  weigh<<<1, 64>>>(x.data_ptr<float>(), w.data_ptr<float>(), y.data_ptr<float>(), x.size(0), x.size(1));
  return y;
}
