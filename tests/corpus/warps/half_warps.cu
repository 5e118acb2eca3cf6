/* Even and odd halves of a warp work apart: each reverses its 16 values in shared memory, and
waits for its own lanes only.

def reference(x):
    return x.view(-1, 16).flip(1).reshape(-1)

def inputs():
    return [torch.randn(96)]
*/
#include <torch/extension.h>

__global__ void reverse_halves(const float* x, float* y) {
  __shared__ float s[32];
  const int lane = threadIdx.x, i = 32 * blockIdx.x + lane;
  s[lane] = x[i];
  if (lane < 16) {
    __syncwarp(0x0000ffff);  //~ delete: DATA_RACE  //~ "0x0000ffff" -> "0xffff0000": DIVERGENT_BARRIER @here
    y[i] = s[15 - lane];  //~ "15" -> "31": DATA_RACE
  } else {
    __syncwarp(0xffff0000);  //~ delete: DATA_RACE
    y[i] = s[47 - lane];
  }
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  reverse_halves<<<x.numel() / 32, 32>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}
