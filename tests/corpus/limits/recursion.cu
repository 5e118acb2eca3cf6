/* Recursion on the device, as deep as the 1 KiB of stack that a thread has.

def reference(x):
    fib = torch.tensor([0, 1, 1, 2, 3, 5, 8, 13, 21, 34, 55])
    return fib[x.long()].int(), x * (x + 1) // 2

def inputs():
    return [torch.randint(0, 11, (40,)).int()]
*/
#include <torch/extension.h>
#include <vector>

__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }  //~ "n < 2 ?" -> "n < -1000000000 ?": RUNTIME_ERROR

__device__ int sum_to(int n, volatile int* calls) {
  *calls += 1;
  if (n == 0) return 0;  //~ "n == 0" -> "n == -2000000": RUNTIME_ERROR  //~ "n == 0" -> "n == -5000": RUNTIME_ERROR gap
  const int rest = sum_to(n - 1, calls);
  return n > 0 ? rest + n : rest;
}

__global__ void recurse(const int* x, int* f, int* s, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  int calls = 0;
  f[i] = fibonacci(x[i]);
  s[i] = sum_to(x[i], &calls);
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  auto f = torch::empty_like(x), s = torch::empty_like(x);
  recurse<<<1, 64>>>(x.data_ptr<int>(), f.data_ptr<int>(), s.data_ptr<int>(), x.numel());
  return {f, s};
}
