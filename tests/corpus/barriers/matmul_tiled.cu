/* A matrix product over tiles in shared memory, with two barriers in the loop over tiles.

def reference(a, b):
    return a @ b

def inputs():
    return [torch.randn(21, 19), torch.randn(19, 13)]
*/
#include <torch/extension.h>

constexpr int TILE = 8;

__global__ void matmul(const float* __restrict__ a, const float* __restrict__ b,
                       float* __restrict__ c, int m, int n, int k) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y;
  const int col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;  //~ "0.0f" -> "1.0f": WRONG_VALUES
  for (int start = 0; start < k; start += TILE) {
    const int ka = start + threadIdx.x, kb = start + threadIdx.y;
    as[threadIdx.y][threadIdx.x] = row < m && ka < k ? a[row * k + ka] : 0.0f;  //~ "row < m && ka < k" -> "ka < k": ILLEGAL_MEMORY_ACCESS @here  //~ "row < m && ka < k" -> "row < m": ILLEGAL_MEMORY_ACCESS @here
    bs[threadIdx.y][threadIdx.x] = kb < k && col < n ? b[kb * n + col] : 0.0f;  //~ "kb < k && col < n" -> "col < n": ILLEGAL_MEMORY_ACCESS @here
    __syncthreads();  //~ delete: DATA_RACE
    for (int i = 0; i < TILE; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];  //@product  //~ "i < TILE" -> "i <= TILE": ILLEGAL_MEMORY_ACCESS @here  //~ "bs[i][threadIdx.x]" -> "bs[threadIdx.x][i]": WRONG_VALUES
    __syncthreads();  //~ delete: DATA_RACE @product
  }
  if (row < m && col < n) c[row * n + col] = sum;  //~ "row < m && col < n" -> "col < n": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(torch::Tensor a, torch::Tensor b) {
  const int m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = torch::empty({m, n}, a.options());
  const dim3 threads(TILE, TILE);
  const dim3 blocks((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
  matmul<<<blocks, threads>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), m, n, k);
  return c;
}
