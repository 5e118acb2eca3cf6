/* A copy with a scale in a template over its vector width, chosen by the address and the length.

def reference(x):
    return x * 3, x[1:101] * 3

def inputs():
    return [torch.randn(104)]
*/
#include <torch/extension.h>

template <typename T, int N>
struct alignas(sizeof(T) * N) Pack {
  T values[N];
};

template <int N>
__global__ void scale(const float* x, float* y, int packs) {
  using Vector = Pack<float, N>;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= packs) return;
  Vector v = reinterpret_cast<const Vector*>(x)[i];  //@load
#pragma unroll
  for (int k = 0; k < N; ++k) v.values[k] *= 3.0f;  //~ "k < N" -> "k < 1 + N / 2": WRONG_VALUES
  reinterpret_cast<Vector*>(y)[i] = v;
}

torch::Tensor run(const torch::Tensor& x) {
  auto y = torch::empty_like(x);
  const int n = x.numel();
  const float* p = x.data_ptr<float>();
  const bool aligned = reinterpret_cast<uintptr_t>(p) % 16 == 0;  //~ "% 16 == 0" -> "% 4 == 0": ILLEGAL_MEMORY_ACCESS @load
  if (aligned && n % 4 == 0) {
    scale<4><<<1, 64>>>(p, y.data_ptr<float>(), n / 4);
  } else {
    scale<1><<<2, 64>>>(p, y.data_ptr<float>(), n);  //~ "p, y" -> "p + 1, y": WRONG_VALUES
  }
  return y;
}

std::vector<torch::Tensor> forward(torch::Tensor x) { return {run(x), run(x.slice(0, 1, 101))}; }  //~ "1, 101" -> "2, 101": WRONG_SHAPE
