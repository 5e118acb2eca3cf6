/* An exclusive prefix sum of integers after Blelloch: up the tree, then down.

def reference(x):
    return (x.cumsum(1) - x).int()

def inputs():
    return [torch.randint(0, 100, (4, 100), dtype=torch.int32)]
*/
#include <torch/extension.h>

constexpr int SIZE = 128;  // two elements a thread

__global__ void __launch_bounds__(SIZE / 2) exclusive_scan(const int* x, int* y, int n) {
  __shared__ int tree[SIZE];
  const int t = threadIdx.x;
  const int* row = x + blockIdx.x * n;
  for (int i = t; i < SIZE; i += SIZE / 2) tree[i] = i < n ? row[i] : 0;  //~ "i < n" -> "i <= n": ILLEGAL_MEMORY_ACCESS @here
  int offset = 1;
  for (int nodes = SIZE / 2; nodes > 0; nodes >>= 1) {
    __syncthreads();  //~ delete: DATA_RACE
    if (t < nodes) {
      const int left = offset * (2 * t + 1) - 1;
      tree[left + offset] += tree[left];
    }
    offset *= 2;
  }
  if (t == 0) tree[SIZE - 1] = 0;  //~ delete: WRONG_VALUES
  for (int nodes = 1; nodes < SIZE; nodes *= 2) {
    offset >>= 1;
    __syncthreads();  //~ delete: DATA_RACE
    if (t < nodes) {
      const int left = offset * (2 * t + 1) - 1;
      const int kept = tree[left];
      tree[left] = tree[left + offset];
      tree[left + offset] += kept;  //~ "+= kept" -> "= kept": WRONG_VALUES
    }
  }
  __syncthreads();  //~ delete: DATA_RACE
  for (int i = t; i < n; i += SIZE / 2) y[blockIdx.x * n + i] = tree[i];  //~ "i < n" -> "i < SIZE": DATA_RACE @here
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  exclusive_scan<<<x.size(0), SIZE / 2>>>(x.data_ptr<int>(), y.data_ptr<int>(), x.size(1));
  return y;
}
