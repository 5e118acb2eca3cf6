/* An inclusive prefix sum of each row after Hillis and Steele, in place with two barriers a step.

def reference(x):
    return x.cumsum(1)

def inputs():
    return [torch.rand(3, 45)]
*/
#include <torch/extension.h>

#define THREADS 64

__global__ void inclusive_scan(const float* x, float* y, int n) {
  __shared__ float sums[THREADS];
  const int t = threadIdx.x;
  const float* row = x + blockIdx.x * n;
  sums[t] = t < n ? row[t] : 0.f;  //~ "t < n" -> "true": ILLEGAL_MEMORY_ACCESS @here
  __syncthreads();  //~ delete: DATA_RACE
  for (int offset = 1; offset < THREADS; offset *= 2) {  //~ "offset < THREADS" -> "offset < THREADS / 4": WRONG_VALUES
    float left = t >= offset ? sums[t - offset] : 0.f;  //~ "t >= offset" -> "true": ILLEGAL_MEMORY_ACCESS @here  //~ "t >= offset" -> "t > offset": WRONG_VALUES
    __syncthreads();  //~ delete: DATA_RACE
    sums[t] += left;
    __syncthreads();  //~ delete: DATA_RACE
  }
  const int mirrored = n - 1 - t;  // another thread's sum
  if (t < n) y[blockIdx.x * n + mirrored] = sums[mirrored];  //~ "t < n" -> "t < THREADS": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  inclusive_scan<<<x.size(0), THREADS>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}
