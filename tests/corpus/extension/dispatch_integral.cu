/* Populations of bits for the integral types; floats are refused in torch's own words.

def reference(x):
    return sum((x >> k) & 1 for k in range(16))

def inputs():
    return [torch.randint(0, 30000, (77,), dtype=torch.int16)]
*/
#include <torch/extension.h>

template <typename scalar_t>
__global__ void ones(const scalar_t* x, scalar_t* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = static_cast<scalar_t>(__popc(static_cast<int>(x[i])));  //~ "i < n" -> "i <= n": ILLEGAL_MEMORY_ACCESS @here  //~ "__popc" -> "__clz": WRONG_VALUES
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::zeros_like(x);
  AT_DISPATCH_INTEGRAL_TYPES(x.scalar_type(), "ones", [&] {  //~ "INTEGRAL" -> "FLOATING": RUNTIME_ERROR
    ones<scalar_t><<<3, 32>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), x.numel());  //~ "y.data_ptr<scalar_t>()" -> "y.data_ptr<int>()": COMPILE_ERROR
  });
  return y;
}
