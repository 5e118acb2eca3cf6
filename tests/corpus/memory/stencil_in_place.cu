/* A smoothing pass that reads what other blocks overwrite in the same launch.
expect: DATA_RACE @load

def reference(x):
    left, right = x.roll(1), x.roll(-1)
    y = (left + x + right) / 3
    y[0], y[-1] = x[0], x[-1]
    return y

def inputs():
    return [torch.randn(300)]
*/
#include <torch/extension.h>

__global__ void smooth(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const bool inner = i > 0 && i < n - 1;
  float mean = 0;
  if (inner) mean = (x[i - 1] + x[i] + x[i + 1]) / 3;  //@load
  __syncthreads();  // holds back the own block only  //~ delete: DATA_RACE @load
  if (inner) x[i] = mean;
}

torch::Tensor forward(torch::Tensor x) {
  auto y = x.clone();
  const int n = y.numel();
  smooth<<<(n + 127) / 128, 128>>>(y.data_ptr<float>(), n);  //~ "<<<(n + 127) / 128, 128>>>" -> "<<<1, 300>>>": PASSED
  return y;
}
