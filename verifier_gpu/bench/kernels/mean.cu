__global__ void add_up(const float* x, float* total, int n, float factor) {
  float sum = 0.f;
  for (int i = blockIdx.x * BLOCK + threadIdx.x; i < n; i += gridDim.x * BLOCK) sum += x[i];
  for (int d = 16; d > 0; d >>= 1) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum * factor);
}
torch::Tensor forward(torch::Tensor x) {
  auto total = torch::zeros({1}, x.options());
  add_up<<<16, BLOCK>>>(x.contiguous().data_ptr<float>(), total.data_ptr<float>(), x.numel(), 1.f / x.numel());
  return total;
}
