/* A device function that is given a row of a packed accessor, as detection heads pass boxes.

def reference(boxes):
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])

def inputs():
    a = torch.rand(45, 2)
    return [torch.cat([a, a + torch.rand(45, 2)], 1)]
*/
#include <ATen/ceil_div.h>
#include <torch/extension.h>

template <typename Row>
__device__ __forceinline__ float area(const Row& box) {
  return (box[2] - box[0]) * (box[3] - box[1]);  //~ "box[3]" -> "box[2]": WRONG_VALUES
}

__global__ void areas(const torch::PackedTensorAccessor32<float, 2> boxes,
                      torch::PackedTensorAccessor32<float, 1> out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < boxes.size(0)) out[i] = area(boxes[i]);  //~ "i < boxes.size(0)" -> "i <= boxes.size(0)": ILLEGAL_MEMORY_ACCESS  //~ "area(boxes[i])" -> "area(boxes)": COMPILE_ERROR
}

at::Tensor forward(at::Tensor boxes) {
  TORCH_CHECK(boxes.dim() == 2 && boxes.size(1) == 4, "boxes must be [N, 4], got ", boxes.sizes());  //~ "== 4" -> "== 5": RUNTIME_ERROR
  at::Tensor out = at::zeros({boxes.size(0)}, boxes.options());
  areas<<<at::ceil_div<int64_t>(boxes.size(0), 32), 32>>>(boxes.packed_accessor32<float, 2>(),
                                                         out.packed_accessor32<float, 1>());
  return out;
}
