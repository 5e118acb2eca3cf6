/* Helpers of a warp and a block as a header would hold them, used by one kernel: row maxima.

def reference(x):
    return x.amax(1)

def inputs():
    return [torch.randn(7, 300)]
*/
#include <torch/extension.h>

// ---- reduce.cuh ----
#ifndef REDUCE_CUH
#define REDUCE_CUH
#define FULL_MASK 0xffffffffu
template <typename T>
struct MaxOp {
  __device__ __forceinline__ T operator()(T a, T b) const { return a > b ? a : b; }
};
template <template <typename> class Op, typename T>
__inline__ __device__ T warp_reduce(T v) {
  for (int mask = C10_WARP_SIZE / 2; mask > 0; mask /= 2) v = Op<T>()(v, __shfl_xor_sync(FULL_MASK, v, mask));  //~ "mask /= 2" -> "mask /= 4": WRONG_VALUES
  return v;
}
template <template <typename> class Op, typename T>
__inline__ __device__ T block_reduce(T v, T neutral) {
  __shared__ T parts[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  v = warp_reduce<Op, T>(v);
  if (lane == 0) parts[warp] = v;
  __syncthreads();  //~ delete: DATA_RACE
  v = threadIdx.x < blockDim.x / 32 ? parts[lane] : neutral;
  return warp == 0 ? warp_reduce<Op, T>(v) : v;
}
#endif
// ---- the kernel ----
__global__ void row_max(const float* x, float* y, int cols) {
  float v = -INFINITY;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) v = fmaxf(v, x[blockIdx.x * cols + c]);  //~ "c < cols" -> "c < cols + 1": ILLEGAL_MEMORY_ACCESS
  v = block_reduce<MaxOp, float>(v, -INFINITY);
  if (threadIdx.x == 0) y[blockIdx.x] = v;
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty({x.size(0)}, x.options());
  row_max<<<x.size(0), 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1));
  return y;
}
