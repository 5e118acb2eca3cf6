/* Outputs made by member functions of an input: new_empty, new_zeros, new_ones, new_full.

def reference(x):
    return x.sum(1) * 2, x.new_full((3,), 4.0)

def inputs():
    return [torch.randn(9, 31)]
*/
#include <torch/extension.h>

__global__ void row_sums(const float* x, const float* factor, float* y, int cols) {
  const int r = blockIdx.x;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) atomicAdd(&y[r], factor[0] * x[r * cols + c]);  //~ "atomicAdd(&y[r], factor[0] * x[r * cols + c])" -> "y[r] += factor[0] * x[r * cols + c]": DATA_RACE @here
}

std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor x) {
  auto y = x.new_zeros({x.size(0)});  //~ "new_zeros" -> "new_empty": NON_FINITE  //~ "new_zeros" -> "new_ones": WRONG_VALUES
  auto factor = x.new_ones({1}) + x.new_ones({1});
  row_sums<<<x.size(0), 16>>>(x.data_ptr<float>(), factor.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return {y, x.new_full({3}, 4.0)};  //~ "{3}, 4.0" -> "{4}, 4.0": WRONG_SHAPE
}
