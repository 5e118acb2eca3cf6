__inline__ __device__ float warp_max(float v) {
  for (int d = 16; d > 0; d /= 2) v = fmaxf(v, __shfl_xor_sync(0xffffffff, v, d));
  return v;
}
__inline__ __device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffff, v, d);
  return v;
}
__global__ void softmax(const float* x, float* out, int rows, int cols) {
  int row = blockIdx.x * (BLOCK / 32) + threadIdx.x / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  x += (int64_t)row * cols;
  out += (int64_t)row * cols;
  float best = -INFINITY, sum = 0.f;
  for (int c = lane; c < cols; c += 32) best = fmaxf(best, x[c]);
  best = warp_max(best);
  for (int c = lane; c < cols; c += 32) sum += expf(x[c] - best);
  sum = warp_sum(sum);
  for (int c = lane; c < cols; c += 32) out[c] = expf(x[c] - best) / sum;
}
torch::Tensor forward(torch::Tensor x) {
  auto out = torch::empty_like(x);
  int rows = x.size(0), warps = BLOCK / 32;
  softmax<<<(rows + warps - 1) / warps, BLOCK>>>(x.data_ptr<float>(), out.data_ptr<float>(), rows, x.size(1));
  return out;
}
