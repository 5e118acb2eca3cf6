/* A product of bfloat16 matrices of any size: a block of four warps stages 32 x 32 tiles in
padded shared memory, zeros beyond the edges, and guards what it writes.

def reference(a, b):
    return a.float() @ b.float()

def inputs():
    return [torch.randn(45, 70).bfloat16(), torch.randn(70, 39).bfloat16()]
*/
#include <cuda_bf16.h>
#include <mma.h>
#include <torch/extension.h>

namespace wmma = nvcuda::wmma;
typedef __nv_bfloat16 bf16;

constexpr int TILE = 32;
constexpr int PITCH = TILE + 8;  //~ "+ 8" -> "+ 4": ILLEGAL_MEMORY_ACCESS @load gpu: PASSED

__device__ void stage(bf16 (*tile)[PITCH], const bf16* m, int row0, int col0, int rows, int cols) {
  for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x) {
    const int r = i / TILE, c = i % TILE;
    const bool inside = row0 + r < rows && col0 + c < cols;  //~ "row0 + r < rows && " -> "": ILLEGAL_MEMORY_ACCESS @read  //~ " && col0 + c < cols" -> "": ILLEGAL_MEMORY_ACCESS @read
    tile[r][c] = inside ? m[(row0 + r) * cols + col0 + c] : __float2bfloat16(0.f);  //@read
  }
}

__global__ void gemm(const bf16* A, const bf16* B, float* C, int M, int N, int K) {
  __shared__ __align__(32) bf16 As[TILE][PITCH];
  __shared__ __align__(32) bf16 Bs[TILE][PITCH];
  __shared__ __align__(32) float Cs[TILE][TILE + 4];
  const int warp = threadIdx.x / 32, wr = warp / 2 * 16, wc = warp % 2 * 16;
  const int row0 = blockIdx.y * TILE, col0 = blockIdx.x * TILE;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc;
  wmma::fill_fragment(acc, 0.f);
  for (int k0 = 0; k0 < K; k0 += TILE) {
    stage(As, A, row0, k0, M, K);
    stage(Bs, B, k0, col0, K, N);
    __syncthreads();  //~ delete: DATA_RACE
    for (int k = 0; k < TILE; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, bf16, wmma::row_major> a;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, bf16, wmma::row_major> b;
      wmma::load_matrix_sync(a, &As[wr][k], PITCH);  //@load  //~ "As[wr][k]" -> "As[wr][k + 1]": ILLEGAL_MEMORY_ACCESS @here
      wmma::load_matrix_sync(b, &Bs[k][wc], PITCH);  //~ "Bs[k]" -> "Bs[k + 24]": ILLEGAL_MEMORY_ACCESS @here  //~ "PITCH" -> "TILE": NON_FINITE
      wmma::mma_sync(acc, a, b, acc);  //~ "b, acc)" -> "b, b)": COMPILE_ERROR @here
    }
    __syncthreads();  //~ delete: DATA_RACE
  }
  wmma::store_matrix_sync(&Cs[wr][wc], acc, TILE + 4, wmma::mem_row_major);
  __syncthreads();  //~ delete: DATA_RACE
  for (int i = threadIdx.x; i < TILE * TILE; i += blockDim.x) {
    const int r = row0 + i / TILE, c = col0 + i % TILE;
    if (r < M && c < N) C[r * N + c] = Cs[i / TILE][i % TILE];  //~ "r < M && " -> "": ILLEGAL_MEMORY_ACCESS @here
  }
}

torch::Tensor forward(torch::Tensor a, torch::Tensor b) {
  const int M = a.size(0), K = a.size(1), N = b.size(1);
  auto c = torch::empty({M, N}, a.options().dtype(torch::kFloat32));
  const dim3 grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
  gemm<<<grid, 128>>>((const bf16*)a.data_ptr(), (const bf16*)b.data_ptr(), c.data_ptr<float>(),
                      M, N, K);
  return c;
}
