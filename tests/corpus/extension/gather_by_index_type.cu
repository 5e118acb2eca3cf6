/* Rows gathered with an element type and an index type, each dispatched.

def reference(table, index):
    return table[index.long()]

def inputs():
    return [torch.arange(12).reshape(4, 3), torch.tensor([3, 0], dtype=torch.int32)]
*/
#include <torch/types.h>

template <typename scalar_t, typename index_t>
__global__ void gather_rows(const scalar_t* table, const index_t* index, scalar_t* out, int width) {
  for (int c = threadIdx.x; c < width; c += blockDim.x)
    out[blockIdx.x * width + c] = table[index[blockIdx.x] * width + c];  //~ "table[index[blockIdx.x] * width + c]" -> "table[index[blockIdx.x + 1] * width + c]": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(torch::Tensor table, torch::Tensor index) {
  auto out = torch::empty({index.size(0), table.size(1)}, table.options());
  AT_DISPATCH_ALL_TYPES(table.scalar_type(), "gather_rows", [&] {
    AT_DISPATCH_INDEX_TYPES(index.scalar_type(), "gather_index", [&] {  //~ "index.scalar_type()" -> "torch::kLong": RUNTIME_ERROR
      gather_rows<scalar_t, index_t><<<index.numel(), 16>>>(
          table.data_ptr<scalar_t>(), index.data_ptr<index_t>(), out.data_ptr<scalar_t>(),
          table.size(1));
    });
  });
  return out;
}
