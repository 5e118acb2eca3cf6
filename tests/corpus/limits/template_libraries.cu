/* Libraries of templates that come with CUDA or are cloned beside it.
expect: UNSUPPORTED

def reference(x):
    return x.sum()

def inputs():
    return [torch.randn(256)]
*/
#include <cub/block/block_reduce.cuh>  //~ "cub/block/block_reduce.cuh" -> "thrust/reduce.h": UNSUPPORTED  //~ "cub/block/block_reduce.cuh" -> "cutlass/cutlass.h": UNSUPPORTED  //~ "cub/block/block_reduce.cuh" -> "cuda/std/array": UNSUPPORTED
#include <torch/extension.h>

__global__ void total(const float* x, float* y) {
  float sum = 0;
  for (int i = 0; i < 256; ++i) sum += x[i];
  *y = sum;
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty({}, x.options());
  total<<<1, 1>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}
