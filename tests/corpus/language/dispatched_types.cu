/* One kernel for float, double, half and bfloat16 by a dispatch, summed in a type of its own.

def reference(a, b, c, d):
    scaled = lambda t: t.double().mul(2).add(t.double().flip(0)).to(t.dtype)
    return scaled(a), scaled(b), scaled(c), scaled(d)

def inputs():
    return [torch.randn(40), torch.randn(40).double(), torch.randn(40).half(), torch.randn(40).bfloat16()]
*/
#include <torch/extension.h>

template <typename T>
struct Wide {
  using type = float;
};
template <>
struct Wide<double> {
  using type = double;
};

template <typename scalar_t, typename acc_t = typename Wide<scalar_t>::type>
__global__ void doubled(const scalar_t* __restrict__ x, scalar_t* __restrict__ y, int64_t n) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i >= n) return;
  const acc_t sum = static_cast<acc_t>(x[i]) * 2 + static_cast<acc_t>(x[n - 1 - i]);  //~ "n - 1 - i" -> "n - i": ILLEGAL_MEMORY_ACCESS
  y[i] = static_cast<scalar_t>(sum);  //~ "(sum)" -> "(static_cast<int>(sum))": WRONG_VALUES
}

static torch::Tensor one(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int64_t n = x.numel();
  AT_DISPATCH_FLOATING_TYPES_AND2(at::kHalf, at::kBFloat16, x.scalar_type(), "doubled", [&] {  //~ "AND2(at::kHalf, at::kBFloat16, " -> "AND_HALF(": RUNTIME_ERROR
    doubled<scalar_t><<<(n + 31) / 32, 32>>>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), n);  //~ "y.data_ptr<scalar_t>()" -> "y.data_ptr<float>()": COMPILE_ERROR
  });
  return y;
}

std::vector<torch::Tensor> forward(torch::Tensor a, torch::Tensor b, torch::Tensor c, torch::Tensor d) {
  return {one(a), one(b), one(c), one(d)};
}
