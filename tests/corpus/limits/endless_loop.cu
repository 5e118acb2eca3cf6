/* The greatest common divisor of pairs, by a loop that has to end.

def reference(a, b):
    return torch.gcd(a, b)

def inputs():
    return [torch.randint(1, 500, (60,)).int(), torch.randint(1, 500, (60,)).int()]
*/
#include <torch/extension.h>

__global__ void gcd(const int* a, const int* b, int* y, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  int p = a[i];
  volatile int q = b[i];
  while (q != 0) {  //~ "q != 0" -> "q != p || i >= 0": TIMEOUT
    const int r = q == 0 ? p : p % q;
    p = q;
    q = r;
  }
  y[i] = p;
}

torch::Tensor forward(torch::Tensor a, torch::Tensor b) {
  auto y = torch::empty_like(a);
  gcd<<<1, 64>>>(a.data_ptr<int>(), b.data_ptr<int>(), y.data_ptr<int>(), a.numel());
  return y;
}
