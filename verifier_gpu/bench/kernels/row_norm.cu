__global__ void row_norm(const float* x, float* out, int cols) {
  __shared__ float partial[BLOCK];
  const float* row = x + (int64_t)blockIdx.x * cols;
  float sum = 0.f;
  for (int c = threadIdx.x; c < cols; c += BLOCK) sum += row[c] * row[c];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = BLOCK / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sqrtf(partial[0]);
}
torch::Tensor forward(torch::Tensor x) {
  auto out = torch::empty({x.size(0)}, x.options());
  row_norm<<<x.size(0), BLOCK>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.size(1));
  return out;
}
