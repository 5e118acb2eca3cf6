/* Steps of Collatz by do-while, a search that returns from a loop, goto, commas, recursion.

def steps(v):
    count = 0
    while v != 1:
        v, count = (v // 2 if v % 2 == 0 else 3 * v + 1), count + 1
    return count

def reference(k, keys):
    import math
    ends = torch.searchsorted(keys, k)
    found = [(keys == v).nonzero()[0].item() if (keys == v).any() else -1 for v in k]
    make = lambda values: torch.tensor(values, dtype=torch.int32)
    return (make([steps(int(v)) for v in k]), make(found), make([math.gcd(int(v), 360) for v in k]),
            make([sum(int(d) for d in str(int(v))) for v in k]), ends.int())

def inputs():
    keys = torch.arange(1, 80, 3, dtype=torch.int32)
    return [torch.randint(1, 90, (64,), dtype=torch.int32), keys]
*/
#include <torch/extension.h>

__device__ int find(const int* keys, int size, int wanted) {
  for (int i = 0; i < size; ++i) {
    if (keys[i] > wanted) break;
    if (keys[i] != wanted) continue;
    return i;  //~ delete: WRONG_VALUES
  }
  return -1;
}

__device__ int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }  //~ "b == 0" -> "b == -1": RUNTIME_ERROR @here

__device__ __noinline__ int digits(int v) {
  if (v < 10) return v;  //~ delete: RUNTIME_ERROR
  return v % 10 + digits(v / 10);
}

__device__ int lower_bound(const int* keys, int size, int wanted) {
  int low = 0, high = size;
again:
  if (low >= high) goto done;
  {
    const int middle = (low + high) >> 1;
    if (keys[middle] < wanted)
      low = middle + 1;  //~ "middle + 1" -> "middle": TIMEOUT
    else
      high = middle;
  }
  goto again;
done:
  return low;
}

__global__ void flows(const int* k, const int* keys, int size, int* steps, int* found, int* divisor,
                      int* sum, int* ends, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = k[i], count = 0;
  if (v != 1) {
    do {
      v = v & 1 ? 3 * v + 1 : v / 2, ++count;
    } while (v != 1);
  }
  steps[i] = count;
  found[i] = find(keys, size, k[i]);
  divisor[i] = gcd(k[i], 360);
  sum[i] = digits(k[i]);
  ends[i] = lower_bound(keys, size, k[i]);
}

std::vector<torch::Tensor> forward(torch::Tensor k, torch::Tensor keys) {
  auto like = [&] { return torch::empty_like(k); };
  auto steps = like(), found = like(), divisor = like(), sum = like(), ends = like();
  const int n = k.numel();
  auto p = [](torch::Tensor t) { return t.data_ptr<int>(); };
  flows<<<2, 32>>>(p(k), p(keys), keys.numel(), p(steps), p(found), p(divisor), p(sum), p(ends), n);
  return {steps, found, divisor, sum, ends};
}
