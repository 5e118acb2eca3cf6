/* A constant struct and matrix, arrays in device memory, a table that host code fills in.

def reference(x, m):
    return x @ m.T + torch.tensor([1.0, 2.0, 3.0]), x.sum(1).clamp(-2, 2) * 0.5

def inputs():
    return [torch.randn(70, 3), torch.randn(3, 3)]
*/
#include <torch/extension.h>

struct Limits {
  float low, high;
  struct {
    float factor;
  } scale;
};

__constant__ Limits limits = {-2.0f, 2.0f, {0.5f}};  //~ "{0.5f}" -> "{0.25f}": WRONG_VALUES
__constant__ float matrix[3][3];
__constant__ float bias[3] = {1.0f, 2.0f, 3.0f};
__device__ float sums[128];
static __device__ unsigned int written;

static __device__ float row_times(const float (&row)[3], const float* x) {
  float sum = 0.0f;
#pragma unroll
  for (int c = 0; c < 3; ++c) sum += row[c] * x[c];
  return sum;
}

__global__ void product(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int r = 0; r < 3; ++r) y[i * 3 + r] = row_times(matrix[r], x + 3 * i) + bias[r];  //~ "bias[r]" -> "bias[r + 1]": ILLEGAL_MEMORY_ACCESS @here
  sums[i] = x[3 * i] + x[3 * i + 1] + x[3 * i + 2];  //~ "sums[i]" -> "sums[i + 64]": ILLEGAL_MEMORY_ACCESS
  atomicAdd(&written, 1u);
}

__global__ void clipped(float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Limits& l = limits;
  y[i] = fminf(fmaxf(sums[i], l.low), l.high) * l.scale.factor;  //~ "l.low" -> "l.high": WRONG_VALUES
  if (i == 0 && written % n != 0) y[0] = -1.0f;  //~ "% n != 0" -> "% n == 0": WRONG_VALUES
}

std::vector<torch::Tensor> forward(torch::Tensor x, torch::Tensor m) {
  const int n = x.size(0);
  auto y = torch::empty_like(x), z = torch::empty({n}, x.options());
  cudaMemcpyToSymbol(matrix, m.data_ptr<float>(), sizeof(matrix), 0, cudaMemcpyDeviceToDevice);  //~ "sizeof(matrix)" -> "sizeof(float)": WRONG_VALUES
  product<<<3, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);  //~ "<<<3, 32>>>" -> "<<<2, 32>>>": NON_FINITE
  clipped<<<3, 32>>>(z.data_ptr<float>(), n);
  return {y, z};
}
