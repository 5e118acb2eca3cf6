/* Four steps of heat flow on a ring; each launch reads one buffer and writes the other.

def reference(x):
    for _ in range(4):
        x = x + 0.2 * (x.roll(1) - 2 * x + x.roll(-1))
    return x

def inputs():
    return [torch.randn(77)]
*/
#include <torch/extension.h>

#include <utility>

__global__ void heat_step(const float* from, float* to, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;  //~ delete: ILLEGAL_MEMORY_ACCESS
  const float left = from[i == 0 ? n - 1 : i - 1];  //@left  //~ "i == 0 ? n - 1 : i - 1" -> "i - 1": ILLEGAL_MEMORY_ACCESS @here
  const float right = from[i == n - 1 ? 0 : i + 1];  //~ "i == n - 1 ? 0 : i + 1" -> "i + 1": ILLEGAL_MEMORY_ACCESS @here  //~ "i == n - 1" -> "i == n": ILLEGAL_MEMORY_ACCESS @here
  to[i] = from[i] + 0.2f * (left - 2.0f * from[i] + right);
}

torch::Tensor forward(torch::Tensor x) {
  auto a = x.clone(), b = torch::empty_like(x);  //~ "x.clone()" -> "x": INPUT_MUTATED
  float *from = a.data_ptr<float>(), *to = b.data_ptr<float>();  //~ "*to = b." -> "*to = a.": DATA_RACE
  for (int step = 0; step < 4; ++step) {
    heat_step<<<2, 48>>>(from, to, x.numel());
    std::swap(from, to);  //~ delete: WRONG_VALUES
  }
  return a;
}
