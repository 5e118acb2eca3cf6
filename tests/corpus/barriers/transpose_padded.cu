/* A transpose through a padded tile of shared memory, eight rows of threads for 32 rows.

def reference(x):
    return x.t().contiguous()

def inputs():
    return [torch.randn(45, 70)]
*/
#include <torch/extension.h>

template <typename scalar_t>
__global__ void transpose_kernel(const scalar_t* in, scalar_t* out, int rows, int cols) {
  __shared__ scalar_t tile[32][33];  //~ "[32][33]" -> "[31][33]": ILLEGAL_MEMORY_ACCESS
  int col = blockIdx.x * 32 + threadIdx.x;
  int row = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (row + j < rows && col < cols)  //~ "row + j < rows" -> "row < rows": ILLEGAL_MEMORY_ACCESS @load
      tile[threadIdx.y + j][threadIdx.x] = in[(row + j) * cols + col];  //@load
  __syncthreads();  //~ delete: DATA_RACE @load
  col = blockIdx.y * 32 + threadIdx.x;
  row = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8)
    if (row + j < cols && col < rows)  //~ "col < rows" -> "col < cols": DATA_RACE @store
      out[(row + j) * rows + col] = tile[threadIdx.x][threadIdx.y + j];  //@store  //~ "[threadIdx.x][threadIdx.y + j]" -> "[threadIdx.y + j][threadIdx.x]": NON_FINITE  //~ "* rows" -> "* cols": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(torch::Tensor x) {
  const int rows = x.size(0), cols = x.size(1);
  auto out = torch::empty({cols, rows}, x.options());
  dim3 grid((cols + 31) / 32, (rows + 31) / 32);  //~ "(cols + 31) / 32" -> "cols / 32": NON_FINITE
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "transpose", [&] {
    transpose_kernel<scalar_t><<<grid, dim3(32, 8)>>>(
        x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), rows, cols);
  });
  return out;
}
