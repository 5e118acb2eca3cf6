/* The largest value of each row and its first index, by a tree over pairs.

def reference(x):
    values, indices = x.max(1)
    return values, indices

def inputs():
    return [torch.randint(0, 50, (6, 201)).float()]
*/
#include <torch/extension.h>
#include <tuple>

struct Best {
  float value;
  int index;
};

__device__ Best better(Best a, Best b) {
  if (a.value != b.value) return a.value > b.value ? a : b;
  return a.index < b.index ? a : b;  //~ "a.index < b.index ? a : b" -> "a.index > b.index ? a : b": WRONG_VALUES
}

template <int N>
__global__ void row_argmax(const float* x, float* values, int64_t* indices, int width) {
  __shared__ Best best[N];
  Best mine{-INFINITY, 0x7fffffff};  //~ "-INFINITY" -> "INFINITY": NON_FINITE
  for (int i = threadIdx.x; i < width; i += N) mine = better(mine, {x[blockIdx.x * width + i], i});
  best[threadIdx.x] = mine;  //@store
  __syncthreads();  //~ delete: DATA_RACE @store
#pragma unroll
  for (int half = N / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) best[threadIdx.x] = better(best[threadIdx.x], best[threadIdx.x + half]);  //@fold
    __syncthreads();  //~ delete: DATA_RACE @fold
  }
  if (threadIdx.x == 0) values[blockIdx.x] = best[0].value;
  if (threadIdx.x == 32) indices[blockIdx.x] = best[0].index;  //~ "indices[blockIdx.x]" -> "indices[threadIdx.x]": ILLEGAL_MEMORY_ACCESS @here
}

std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor x) {
  const auto rows = x.size(0);
  auto values = torch::empty({rows}, x.options());
  auto indices = torch::empty({rows}, x.options().dtype(torch::kInt64));  //~ "kInt64" -> "kInt32": RUNTIME_ERROR
  row_argmax<64><<<rows, 64>>>(x.data_ptr<float>(), values.data_ptr<float>(),
                               indices.data_ptr<int64_t>(), x.size(1));
  return {values, indices};
}
