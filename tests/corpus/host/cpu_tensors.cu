/* Tensors are made on the CPU unless their options say otherwise.

def reference(x):
    return (x - 1).clamp(min=0) * torch.linspace(0, 1, x.shape[1])

def inputs():
    return [torch.randn(6, 33)]
*/
#include <torch/extension.h>

__global__ void ramp(const float* x, const float* shift, const float* slope, float* y, int cols,
                     int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = fmaxf(x[i] - shift[0], 0.0f) * slope[i % cols];  //@ramp
}

torch::Tensor forward(torch::Tensor x) {
  const int n = x.numel(), cols = x.size(1);
  auto shift = torch::ones({1}).to(x.device());  //~ ".to(x.device())" -> "": ILLEGAL_MEMORY_ACCESS @ramp gpu: PASSED  //~ ".to(x.device())" -> ".cuda().cpu()": ILLEGAL_MEMORY_ACCESS @ramp gpu: PASSED
  auto slope = torch::arange(cols, torch::kFloat32).to(torch::kCUDA) / (cols - 1);  //~ ".to(torch::kCUDA)" -> "": ILLEGAL_MEMORY_ACCESS @ramp gpu: PASSED
  auto y = torch::zeros({x.size(0), cols}, torch::device(torch::kCUDA));  //~ ", torch::device(torch::kCUDA)" -> "": ILLEGAL_MEMORY_ACCESS @ramp gpu: PASSED  //~ "torch::device(torch::kCUDA)" -> "torch::kFloat32": ILLEGAL_MEMORY_ACCESS @ramp gpu: PASSED
  ramp<<<(n + 63) / 64, 64>>>(x.data_ptr<float>(), shift.data_ptr<float>(),
                              slope.data_ptr<float>(), y.data_ptr<float>(), cols, n);
  return y;
}
