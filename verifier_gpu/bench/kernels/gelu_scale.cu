template <typename T>
__device__ __forceinline__ T gelu(T v) {
  return T(0.5) * v * (T(1) + erf(v * T(0.70710678118654752)));
}
template <typename T>
__global__ void gelu_scale(const T* __restrict__ x, T* __restrict__ out, int64_t n, T scale) {
  for (int64_t i = blockIdx.x * (int64_t)BLOCK + threadIdx.x; i < n; i += (int64_t)gridDim.x * BLOCK)
    out[i] = scale * gelu(x[i]);
}
torch::Tensor forward(torch::Tensor x) {
  TORCH_CHECK(x.is_cuda(), "x must be on the GPU");
  auto out = torch::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "gelu_scale", ([&] {
    gelu_scale<scalar_t><<<132, BLOCK>>>(x.data_ptr<scalar_t>(), out.data_ptr<scalar_t>(), x.numel(), scalar_t(1.5));
  }));
  return out;
}
