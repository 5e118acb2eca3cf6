/* Each thread sorts five neighbours in a local array and keeps the median.

def reference(x):
    return x.unfold(0, 5, 1).median(-1).values

def inputs():
    return [torch.randn(101)]
*/
#include <torch/extension.h>

constexpr int kWidth = 5;

__global__ void median5(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float window[kWidth];
  for (int j = 0; j < kWidth; ++j) window[j] = x[i + j];  //~ "j < kWidth" -> "j <= kWidth": ILLEGAL_MEMORY_ACCESS @here
  for (int j = 1; j < kWidth; ++j) {
    const float key = window[j];
    int k = j - 1;
    while (k >= 0 && window[k] > key) {
      window[k + 1] = window[k];  //~ "window[k + 1]" -> "window[k + 5]": ILLEGAL_MEMORY_ACCESS @here
      --k;
    }
    window[k + 1] = key;
  }
  y[i] = window[kWidth / 2];  //~ "kWidth / 2" -> "kWidth + i % 3": ILLEGAL_MEMORY_ACCESS @here  //~ "kWidth / 2" -> "kWidth": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(torch::Tensor x) {
  const int n = x.numel() - kWidth + 1;
  auto y = torch::empty({n}, x.options());
  median5<<<(n + 31) / 32, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
