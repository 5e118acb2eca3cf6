/* A step that lives in device memory between two launches of one call.

def reference(x):
    return x + 3

def inputs():
    return [torch.randn(123)]
*/
#include <torch/extension.h>
#include <cmath>

__device__ int step = 1;  //~ "= 1" -> "= std::rand()": COMPILE_ERROR @here
__device__ float table[2] = {1.0f, 3.0f};  //~ "table[2]" -> "table[1]": COMPILE_ERROR @here
struct Pair {
  int first, second;  //~ "first, second;" -> "first, second; __device__ Pair() : first(0), second(0) {}": COMPILE_ERROR @pair
};
__device__ Pair pair;  //@pair

__global__ void set_step() { step = pair.first + 1; }  //~ "step =" -> "__device__ int step =": COMPILE_ERROR @here

__global__ void add_step(const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] + table[step];
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  int n = x.numel();
  set_step<<<1, 1>>>();
  add_step<<<(n + 31) / 32, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
