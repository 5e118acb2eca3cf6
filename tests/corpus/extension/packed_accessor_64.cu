/* A 3-D scaling through packed accessors with 64-bit indices, on a transposed tensor.

def reference(x, s):
    return x.transpose(0, 2) * s

def inputs():
    return [torch.randn(5, 7, 33), torch.randn(5)]
*/
#include <torch/extension.h>

template <typename scalar_t>
__global__ void scale(const torch::PackedTensorAccessor64<scalar_t, 3, torch::RestrictPtrTraits> x,
                      const torch::PackedTensorAccessor64<scalar_t, 1> s,
                      torch::PackedTensorAccessor64<scalar_t, 3, torch::RestrictPtrTraits> y) {
  const int64_t c = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  if (c >= y.size(2)) return;  //~ "y.size(2)" -> "y.size(2) + 1": ILLEGAL_MEMORY_ACCESS
  for (int64_t a = 0; a < y.size(0); ++a)
    for (int64_t b = 0; b < y.size(1); ++b) y[a][b][c] = x[a][b][c] * s[c];  //~ "s[c]" -> "s[a]": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(torch::Tensor x, torch::Tensor s) {
  auto t = x.transpose(0, 2);  //~ "transpose(0, 2)" -> "transpose(0, 1)": ILLEGAL_MEMORY_ACCESS
  auto y = torch::empty(t.sizes(), x.options());
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "scale", [&] {
    scale<scalar_t><<<1, 32>>>(t.packed_accessor64<scalar_t, 3, torch::RestrictPtrTraits>(),  //~ "accessor64<scalar_t, 3" -> "accessor64<scalar_t, 2": COMPILE_ERROR
                               s.packed_accessor64<scalar_t, 1>(),
                               y.packed_accessor64<scalar_t, 3, torch::RestrictPtrTraits>());
  });
  return y;
}
