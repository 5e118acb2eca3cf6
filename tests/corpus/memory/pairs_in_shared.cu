/* Each thread adds what its pair of shared values holds; the pair lies in one warp, or across two.

def reference(x):
    return x + x.flip(1)

def inputs():
    return [torch.randn(3, 64)]
*/
#include <torch/extension.h>

__global__ void add_flipped(const float* x, float* y) {
  __shared__ float s[64];
  const int t = threadIdx.x, at = blockIdx.x * 64 + t;
  s[t] = x[at];  //@put
  __syncthreads();  //~ delete: DATA_RACE @put  //~ "__syncthreads()" -> "__syncwarp()": DATA_RACE @put  //~ "__syncthreads()" -> "__threadfence_block()": DATA_RACE @put
  y[at] = s[t] + s[63 - t];  //~ "y[at] = s[t] + s[63 - t]" -> "s[t] += s[63 - t]; __syncthreads(); y[at] = s[t]": DATA_RACE @here
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  add_flipped<<<x.size(0), 64>>>(x.data_ptr<float>(), y.data_ptr<float>());
  return y;
}
