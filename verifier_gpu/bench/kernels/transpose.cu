__global__ void transpose(const float* x, float* out, int rows, int cols) {
  __shared__ float tile[32][33];
  int c = blockIdx.x * 32 + threadIdx.x, r0 = blockIdx.y * 32;
  for (int d = threadIdx.y; d < 32; d += BLOCK / 32)
    if (c < cols && r0 + d < rows) tile[d][threadIdx.x] = x[(r0 + d) * cols + c];
  __syncthreads();
  int r = r0 + threadIdx.x, c0 = blockIdx.x * 32;
  for (int d = threadIdx.y; d < 32; d += BLOCK / 32)
    if (r < rows && c0 + d < cols) out[(c0 + d) * rows + r] = tile[threadIdx.x][d];
}
torch::Tensor forward(torch::Tensor x) {
  int rows = x.size(0), cols = x.size(1);
  auto out = torch::empty({cols, rows}, x.options());
  dim3 blocks((cols + 31) / 32, (rows + 31) / 32), threads(32, BLOCK / 32);
  transpose<<<blocks, threads>>>(x.data_ptr<float>(), out.data_ptr<float>(), rows, cols);
  return out;
}
