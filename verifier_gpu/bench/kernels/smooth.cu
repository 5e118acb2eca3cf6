__constant__ float weights[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
__global__ void smooth(const float* x, float* out, int n) {
  extern __shared__ float near[];
  int i = blockIdx.x * BLOCK + threadIdx.x;
  for (int j = threadIdx.x; j < BLOCK + 4; j += BLOCK) {
    int at = (int)(blockIdx.x * BLOCK) + j - 2;
    near[j] = at >= 0 && at < n ? x[at] : 0.f;
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0.f;
  for (int j = 0; j < 5; ++j) sum += weights[j] * near[threadIdx.x + j];
  out[i] = sum;
}
torch::Tensor forward(torch::Tensor x) {
  auto out = torch::empty_like(x);
  int n = x.size(0);
  smooth<<<(n + BLOCK - 1) / BLOCK, BLOCK, (BLOCK + 4) * sizeof(float)>>>(x.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
