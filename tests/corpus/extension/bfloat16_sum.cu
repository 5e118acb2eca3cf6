/* at::BFloat16 in a template whose sums are float, by at::opmath_type.

def reference(x):
    return x.float().sum(1).bfloat16()

def inputs():
    return [torch.randn(12, 40).bfloat16()]
*/
#include <ATen/OpMathType.h>
#include <torch/extension.h>

template <typename scalar_t, typename acc_t = at::opmath_type<scalar_t>>
__global__ void row_sum(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int cols) {
  acc_t sum = 0;
  for (int c = threadIdx.x; c < cols; c += 32) sum += static_cast<acc_t>(x[blockIdx.x * cols + c]);
#pragma unroll
  for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, offset);  //~ "offset = 16" -> "offset = 8": WRONG_VALUES
  if (threadIdx.x == 0) y[blockIdx.x] = static_cast<scalar_t>(sum);  //~ "y[blockIdx.x]" -> "y[blockIdx.x + 1]": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty({x.size(0)}, x.options());
  AT_DISPATCH_FLOATING_TYPES_AND2(at::ScalarType::Half, at::ScalarType::BFloat16, x.scalar_type(), "row_sum", ([&] {
    row_sum<scalar_t><<<x.size(0), 32>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.size(1));  //~ "x.data_ptr<scalar_t>()" -> "x.data_ptr<float>()": COMPILE_ERROR
  }));
  return y;
}
