/* Kernels as templates on type, size and operation, instantiated through a dispatch.

def reference(x):
    return torch.maximum(x, x.flip(0))

def inputs():
    return [torch.randn(90, dtype=torch.float64)]
*/
#include <torch/extension.h>

struct Maximum {
  template <typename T>
  __device__ static T of(T a, T b) { return a > b ? a : b; }
};

template <typename scalar_t, class Operation, int kStride = 1>  //~ "typename scalar_t, " -> "": COMPILE_ERROR @head
__global__ void with_reverse(const scalar_t* x, scalar_t* y, int n) {  //@head
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * kStride;
  if (i < n) y[i] = Operation::of(x[i], x[n - 1 - i]);  //~ "Operation::of" -> "Operation::off": COMPILE_ERROR @here  //~ "x[n - 1 - i]" -> "1.0f": COMPILE_ERROR @here
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "with_reverse", [&] {
    with_reverse<scalar_t, Maximum><<<(n + 63) / 64, 64>>>(  //@launch  //~ "<scalar_t, Maximum>" -> "": COMPILE_ERROR  //~ "<scalar_t, Maximum>" -> "<Maximum, scalar_t>": COMPILE_ERROR  //~ "<scalar_t, Maximum>" -> "<scalar_t, Minimum>": COMPILE_ERROR  //~ "<scalar_t, Maximum>" -> "<scalar_t, Maximum, 1.5>": COMPILE_ERROR
        x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), n);
  });  //~ "});" -> "};": COMPILE_ERROR
  return y;
}
