/* An odd-even transposition sort that ends when no thread of the block has swapped.

def reference(x):
    return x.sort().values

def inputs():
    return [torch.randint(-1000, 1000, (61,), dtype=torch.int32)]
*/
#include <torch/extension.h>

__global__ void odd_even_sort(int* data, int n) {
  extern __shared__ int s[];
  const int t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x) s[i] = data[i];
  bool swapped = true;
  while (__syncthreads_or(swapped)) {  //~ "__syncthreads_or(swapped)" -> "swapped": DATA_RACE  //~ "__syncthreads_or" -> "__syncthreads_and": WRONG_VALUES
    swapped = false;
    for (int phase = 0; phase < 2; ++phase) {
      const int i = 2 * t + phase;
      if (i + 1 < n && s[i] > s[i + 1]) {  //~ "i + 1 < n && " -> "": ILLEGAL_MEMORY_ACCESS
        const int kept = s[i];
        s[i] = s[i + 1];
        s[i + 1] = kept;
        swapped = true;
      }
      if (phase == 0) __syncthreads();  //~ delete: DATA_RACE  //~ "phase == 0" -> "swapped": DATA_RACE
    }
  }
  for (int i = t; i < n; i += blockDim.x) data[i] = s[i];
}

torch::Tensor forward(torch::Tensor x) {
  auto sorted = x.clone();  //~ "x.clone()" -> "x": INPUT_MUTATED
  const int n = x.numel();
  odd_even_sort<<<1, 32, n * sizeof(int)>>>(sorted.data_ptr<int>(), n);  //~ "32" -> "16": WRONG_VALUES
  return sorted;
}
