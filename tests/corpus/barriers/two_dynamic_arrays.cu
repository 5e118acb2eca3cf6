/* Sums of values by key, with keys and values staged in two arrays of dynamic shared memory.

def reference(values, keys):
    return torch.zeros(12, dtype=torch.float64).index_add(0, keys.long(), values)

def inputs():
    return [torch.randn(70, dtype=torch.float64), torch.randint(0, 12, (70,), dtype=torch.int32)]
*/
#include <torch/extension.h>

__global__ void sums_by_key(const double* values, const int* keys, double* sums, int n, int groups) {
  extern __shared__ __align__(8) unsigned char storage[];
  double* staged = reinterpret_cast<double*>(storage);
  int* staged_keys = reinterpret_cast<int*>(staged + n);  //~ "staged + n" -> "storage": DATA_RACE  //~ "staged + n" -> "storage + 8 * n + 2": ILLEGAL_MEMORY_ACCESS
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    staged[i] = values[i];
    staged_keys[i] = keys[i];
  }
  __syncthreads();  //~ delete: DATA_RACE
  const int group = threadIdx.x;
  if (group >= groups) return;  //~ delete: ILLEGAL_MEMORY_ACCESS @store
  double sum = 0;
  for (int i = 0; i < n; ++i)  //~ "i < n" -> "i < blockDim.x": WRONG_VALUES
    if (staged_keys[i] == group) sum += staged[i];
  sums[group] = sum;  //@store
}

torch::Tensor forward(torch::Tensor values, torch::Tensor keys) {
  const int n = values.numel(), groups = 12;
  auto sums = torch::empty({groups}, values.options());
  size_t bytes = n * (sizeof(double) + sizeof(int));  //~ "sizeof(double) + sizeof(int)" -> "sizeof(double)": ILLEGAL_MEMORY_ACCESS
  sums_by_key<<<1, 32, bytes>>>(values.data_ptr<double>(), keys.data_ptr<int>(),  //~ ", bytes" -> "": ILLEGAL_MEMORY_ACCESS
                                sums.data_ptr<double>(), n, groups);
  return sums;
}
