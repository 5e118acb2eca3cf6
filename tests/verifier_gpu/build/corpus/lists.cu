#include <torch/extension.h>

__global__ void add3(const float* a, const float* b, const float* c, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a[i] + b[i] + c[i];
}

torch::Tensor forward(std::vector<torch::Tensor> inputs, at::IntArrayRef shape,
                      std::vector<int64_t> pads, std::vector<double> weights) {
  TORCH_CHECK(inputs.size() == 3, "expected 3 inputs, got ", inputs.size(), " with shape ", shape);
  int64_t pad = 0;
  for (auto p : pads) pad += p;
  double weight = 0;
  for (double w : weights) weight += w;
  auto y = inputs[0].new_empty(inputs[0].sizes());
  int n = y.numel();
  add3<<<(n + 63) / 64, 64>>>(inputs[0].data_ptr<float>(), inputs[1].data_ptr<float>(),
                              inputs[2].data_ptr<float>(), y.data_ptr<float>(), n);
  return y.reshape(shape) * weight + pad;
}
