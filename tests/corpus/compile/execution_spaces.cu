/* A chain of helpers in three execution spaces; each is called only from where it may be.

def reference(x):
    return torch.sigmoid(1.5 * x)

def inputs():
    return [torch.randn(301)]
*/
#include <torch/extension.h>

__device__ float logistic(float v) { return 1.0f / (1.0f + expf(-v)); }  //~ "__device__ float" -> "float": COMPILE_ERROR @call
__host__ __device__ inline int blocks_for(int n, int size) { return (n + size - 1) / size; }  //~ "__host__ __device__ inline" -> "__device__ inline": COMPILE_ERROR @launch
static float factor() { return 1.5f; }  //~ "static float" -> "static __device__ float": COMPILE_ERROR @factor
template <typename T>
__device__ T scaled(T v, T by) { return v * by; }  //~ "__device__ T" -> "__host__ T": COMPILE_ERROR @call

__global__ void activate(const float* in, float* out, float by, int n) {  //~ "__global__" -> "__device__": COMPILE_ERROR @launched
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = logistic(scaled(in[i], by));  //@call  //~ "in[i], by" -> "in[i], factor()": COMPILE_ERROR @here
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  const float by = factor();  //@factor  //~ "factor()" -> "scaled(1.5f, 1.0f)": COMPILE_ERROR @here  //~ "factor()" -> "logistic(1.5f)": COMPILE_ERROR @here
  const int grid = blocks_for(n, 96);  //@launch
  activate<<<grid, 96>>>(x.data_ptr<float>(), y.data_ptr<float>(), by, n);  //@launched  //~ "<<<grid, 96>>>" -> "": COMPILE_ERROR @here
  return y;
}
