/* The sum of a short row by a tree over more threads than elements; the rest of the shared array
has to be zeroed, else the tree adds memory nobody wrote.

def reference(x):
    return x.sum(1)

def inputs():
    return [torch.randn(3, 40)]
*/
#include <torch/extension.h>

__global__ void row_sums(const float* x, float* y, int width) {
  __shared__ float s[64];
  const int t = threadIdx.x;
  s[t] = 0.0f;  //~ delete: NON_FINITE
  if (t < width) s[t] = x[blockIdx.x * width + t];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) s[t] += s[t + half];
    __syncthreads();
  }
  if (t == 0) y[blockIdx.x] = s[0];  //~ delete: NON_FINITE
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty({x.size(0)}, x.options());
  row_sums<<<x.size(0), 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}
