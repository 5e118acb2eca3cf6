#define TILE BLOCK
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float sa[TILE][TILE], sb[TILE][TILE + 1];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.f;
  for (int t = 0; t < k; t += TILE) {
    sa[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0.f;
    sb[threadIdx.y][threadIdx.x] = col < n && t + threadIdx.y < k ? b[(t + threadIdx.y) * n + col] : 0.f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TILE; ++i) sum += sa[threadIdx.y][i] * sb[i][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
torch::Tensor forward(torch::Tensor a, torch::Tensor b) {
  int m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = torch::zeros({m, n}, a.options());
  dim3 threads(TILE, TILE), blocks((n + TILE - 1) / TILE, (m + TILE - 1) / TILE);
  matmul<<<blocks, threads>>>(a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>(), m, n, k);
  return c;
}
