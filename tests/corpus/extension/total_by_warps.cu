/* A total by shuffles in a warp and one atomic a warp, in a tensor of one element.

def reference(x):
    return x.sum()

def inputs():
    return [torch.randn(5, 37)]
*/
#include <torch/extension.h>

__inline__ __device__ float warp_sum(float v) {
  for (int offset = 16; offset > 0; offset /= 2) v += __shfl_down_sync(0xffffffff, v, offset);
  return v;
}

__global__ void total(const float* x, float* out, int n) {
  float v = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) v += x[i];
  v = warp_sum(v);
  if ((threadIdx.x & 31) == 0) atomicAdd(out, v);  //~ "if ((threadIdx.x & 31) == 0) " -> "": WRONG_VALUES  //~ "atomicAdd(out, v)" -> "*out += v": DATA_RACE @here
}

torch::Tensor forward(torch::Tensor x) {
  auto out = torch::zeros({1}, torch::TensorOptions().dtype(x.dtype()).device(torch::kCUDA, 0));
  total<<<3, 64>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.numel());
  cudaDeviceSynchronize();
  return out.squeeze();  //~ ".squeeze()" -> "": WRONG_SHAPE
}
