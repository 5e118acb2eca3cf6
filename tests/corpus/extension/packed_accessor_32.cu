/* A row scaling by packed accessors with 32-bit indices, dispatched over float and double.

def reference(x, scale):
    return x * scale[:, None]

def inputs():
    return [torch.randn(5, 37), torch.randn(5)]
*/
#include <torch/extension.h>

#include <cuda.h>
#include <cuda_runtime.h>

template <typename scalar_t>
__global__ void row_scale_kernel(
    const torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> x,
    const torch::PackedTensorAccessor32<scalar_t, 1, torch::RestrictPtrTraits> scale,
    torch::PackedTensorAccessor32<scalar_t, 2, torch::RestrictPtrTraits> y) {
  const int row = blockIdx.y;
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  if (column < x.size(1)) y[row][column] = x[row][column] * scale[row];  //~ "scale[row]" -> "scale[column]": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(torch::Tensor x, torch::Tensor scale) {
  auto y = torch::zeros_like(x);
  const dim3 blocks((x.size(1) + 127) / 128, x.size(0));
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "row_scale", ([&] {
    row_scale_kernel<scalar_t><<<blocks, 128>>>(
        x.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>(),  //~ "<scalar_t, 2," -> "<scalar_t, 1,": COMPILE_ERROR
        scale.packed_accessor32<scalar_t, 1, torch::RestrictPtrTraits>(),
        y.packed_accessor32<scalar_t, 2, torch::RestrictPtrTraits>());
  }));
  return y;
}
