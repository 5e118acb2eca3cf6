/* One kernel for every number type, by AT_DISPATCH_ALL_TYPES_AND2: absolute differences.

def reference(a, b, i, j):
    return (a - b).abs(), (i - j).abs()

def inputs():
    return [torch.randn(40).half(), torch.randn(40).half(),
            torch.randint(-50, 50, (40,)), torch.randint(-50, 50, (40,))]
*/
#include <torch/extension.h>

template <typename scalar_t>
__global__ void distance(const scalar_t* a, const scalar_t* b, scalar_t* y, int64_t n) {
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {  //~ "i < n" -> "i <= n": ILLEGAL_MEMORY_ACCESS
    const scalar_t d = a[i] - b[i];
    y[i] = d < scalar_t(0) ? scalar_t(-d) : d;  //~ "scalar_t(-d) : d" -> "d : d": WRONG_VALUES
  }
}

at::Tensor run(const at::Tensor& a, const at::Tensor& b) {
  auto y = at::empty_like(a);
  AT_DISPATCH_ALL_TYPES_AND2(at::kHalf, at::kBFloat16, a.scalar_type(), "distance", [&] {  //~ "ALL_TYPES_AND2(at::kHalf, at::kBFloat16, " -> "ALL_TYPES(": RUNTIME_ERROR
    distance<scalar_t><<<1, 32>>>(a.data_ptr<scalar_t>(), b.data_ptr<scalar_t>(),
                                  y.data_ptr<scalar_t>(), a.numel());
  });
  return y;
}

std::tuple<at::Tensor, at::Tensor> forward(at::Tensor a, at::Tensor b, at::Tensor i, at::Tensor j) {
  return std::make_tuple(run(a, b), run(i, j));
}
