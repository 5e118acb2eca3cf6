/* A softmax with a static and a dynamic array in shared memory.

def reference(x):
    return x.softmax(-1)

def inputs():
    return [torch.randn(5, 37)]
*/
#include <torch/extension.h>
#include <cuda_runtime.h>
#include <math.h>

template <int kThreads>
__global__ void softmax_rows(const float* __restrict__ x, float* __restrict__ y, int columns) {
  __shared__ float scratch[kThreads];
  extern __shared__ float row[];
  const float* in = x + (long)blockIdx.x * columns;
  float* out = y + (long)blockIdx.x * columns;
  float best = -INFINITY;
  for (int c = threadIdx.x; c < columns; c += kThreads) {
    row[c] = in[c];
    best = fmaxf(best, row[c]);
  }
  scratch[threadIdx.x] = best;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) scratch[threadIdx.x] = fmaxf(scratch[threadIdx.x], scratch[threadIdx.x + s]);
    __syncthreads();
  }
  best = scratch[0];  //~ "scratch[0]" -> "scratch[64]": ILLEGAL_MEMORY_ACCESS @here
  __syncthreads();
  float sum = 0.f;
  for (int c = threadIdx.x; c < columns; c += kThreads) {
    row[c] = expf(row[c] - best);
    sum += row[c];
  }
  scratch[threadIdx.x] = sum;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s >>= 1) {
    if (threadIdx.x < s) scratch[threadIdx.x] += scratch[threadIdx.x + s];
    __syncthreads();
  }
  for (int c = threadIdx.x; c < columns; c += kThreads) out[c] = row[c] / scratch[0];  //~ "scratch[0]" -> "scratch[1]": WRONG_VALUES
}

torch::Tensor forward(torch::Tensor x) {
  auto sizes = x.sizes();
  const int columns = sizes[sizes.size() - 1];
  const int rows = x.numel() / columns;
  auto flat = x.contiguous().view({rows, columns});
  auto y = torch::empty_like(flat);
  softmax_rows<64><<<rows, 64, columns * sizeof(float)>>>(flat.data_ptr<float>(),  //~ "64, columns * sizeof(float)" -> "64": ILLEGAL_MEMORY_ACCESS
                                                          y.data_ptr<float>(), columns);
  cudaError_t err = cudaGetLastError();
  if (err != cudaSuccess) {
    printf("error: %s\n", cudaGetErrorString(err));
  }
  return y.reshape(x.sizes());
}
