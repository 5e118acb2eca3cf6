/* A 64-bit sum, and the nearest point of each query as one 64-bit minimum of distance and index.

def reference(queries, points):
    d = (queries[:, None] - points[None]).abs()
    return d.argmin(1).int(), (queries.double().abs() * 1000).floor().long().sum().reshape(1)

def inputs():
    return [torch.randn(9), torch.randn(130)]
*/
#include <torch/extension.h>

using word = unsigned long long;

__global__ void nearest(const float* queries, const float* points, word* best, word* total, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, q = blockIdx.y;
  if (i == 0) atomicAdd(total, (word)floor(fabs((double)queries[q]) * 1000));  //~ "atomicAdd(total, (word)" -> "*total += ((word)": DATA_RACE @here
  if (i >= n) return;
  const float distance = fabsf(queries[q] - points[i]);
  const word packed = (word)__float_as_uint(distance) << 32 | i;
  atomicMin(&best[q], packed);  //~ "atomicMin" -> "atomicMax": WRONG_VALUES  //~ "atomicMin(&best[q], packed)" -> "if (packed < best[q]) best[q] = packed": DATA_RACE @here  //~ "&best[q]" -> "(word*)((char*)best + 4 * q)": ILLEGAL_MEMORY_ACCESS @here
}

__global__ void unpack(const word* best, int* index, int queries) {
  if (threadIdx.x < queries) index[threadIdx.x] = (int)(best[threadIdx.x] & 0xffffffffu);
}

std::vector<torch::Tensor> forward(torch::Tensor queries, torch::Tensor points) {
  const int m = queries.numel(), n = points.numel();
  auto longs = queries.options().dtype(torch::kInt64);
  auto best = torch::full({m}, INT64_MAX, longs), total = torch::zeros({1}, longs);
  auto index = torch::empty({m}, queries.options().dtype(torch::kInt32));
  word* words = reinterpret_cast<word*>(best.data_ptr<int64_t>());
  nearest<<<dim3((n + 63) / 64, m), 64>>>(queries.data_ptr<float>(), points.data_ptr<float>(), words,
                                          (word*)total.data_ptr<int64_t>(), n);
  unpack<<<1, 32>>>(words, index.data_ptr<int>(), m);
  return {index, total};
}
