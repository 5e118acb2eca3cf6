/* What of the standard library a kernel may use: constexpr functions and limits, no containers.

def reference(x):
    return x.sort(1).values

def inputs():
    return [torch.randn(6, 15)]
*/
#include <torch/extension.h>
#include <algorithm>
#include <limits>
#include <vector>

constexpr int kWidth = 16;

__global__ void sort_rows(const float* x, float* y, int rows, int width) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float v[kWidth];  //~ "float v[kWidth];" -> "std::vector<float> v(kWidth);": COMPILE_ERROR @here
  for (int i = 0; i < kWidth; ++i)
    v[i] = i < width ? x[row * width + i] : std::numeric_limits<float>::infinity();
  for (int i = 1; i < kWidth; ++i)  //~ "for (int i = 1; i < kWidth; ++i)" -> "std::sort(v, v + kWidth); for (int i = 1; i < kWidth; ++i)": COMPILE_ERROR @here
    for (int k = i; k > 0; --k) {
      const float low = std::min(v[k - 1], v[k]), high = std::max(v[k - 1], v[k]);
      v[k - 1] = low;
      v[k] = high;
    }
  for (int i = 0; i < width; ++i) y[row * width + i] = v[i];  //~ "v[i];" -> "v[i] + std::accumulate(v, v, 0);": COMPILE_ERROR @here  //~ "y[row" -> "std::cout << i; y[row": COMPILE_ERROR @here
}

torch::Tensor forward(torch::Tensor x) {
  TORCH_CHECK(x.size(1) <= kWidth, "rows of at most ", kWidth);
  auto y = torch::empty_like(x);
  std::vector<int> sizes{(int)x.size(0), (int)x.size(1)};
  sort_rows<<<1, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), sizes[0], sizes[1]);
  return y;
}
