/* Lists of tensors, integers and floats, and an IntArrayRef for a shape.

def reference(xs, shape, pads, weights):
    return sum(xs).reshape(shape) * sum(weights) + sum(pads)

def inputs():
    return [[torch.randn(5, 37) for _ in range(3)], [37, 5], [1, 2], [0.5, 1.5]]
*/
#include <torch/extension.h>

__global__ void add3(const float* a, const float* b, const float* c, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a[i] + b[i] + c[i];  //~ "i < n" -> "true": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(std::vector<torch::Tensor> inputs, at::IntArrayRef shape,
                      std::vector<int64_t> pads, std::vector<double> weights) {
  TORCH_CHECK(inputs.size() == 3, "expected 3 inputs, got ", inputs.size(), " with shape ", shape);  //~ "== 3" -> "== 4": RUNTIME_ERROR
  int64_t pad = 0;
  for (auto p : pads) pad += p;
  double weight = 0;
  for (double w : weights) weight += w;
  auto y = inputs[0].new_empty(inputs[0].sizes());
  int n = y.numel();
  add3<<<(n + 63) / 64, 64>>>(inputs[0].data_ptr<float>(), inputs[1].data_ptr<float>(),
                              inputs[2].data_ptr<float>(), y.data_ptr<float>(), n);
  return y.reshape(shape) * weight + pad;  //~ "y.reshape(shape)" -> "y": WRONG_SHAPE  //~ "* weight" -> "/ weight": WRONG_VALUES
}
