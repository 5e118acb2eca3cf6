/* Tables made at compile time, constexpr functions on both sides, enum class and a switch over it.

def reference(x):
    binomials = torch.tensor([1.0, 5.0, 10.0, 10.0, 5.0, 1.0])
    powers = x[:, None] ** torch.arange(6)
    kinds = [torch.relu, torch.sigmoid, lambda v: 0.1 * v, torch.abs]
    chosen = torch.stack([kinds[i % 4](v) for i, v in enumerate(x)])
    return (powers * binomials).sum(1), chosen

def inputs():
    return [torch.randn(90)]
*/
#include <torch/extension.h>

constexpr int choose(int n, int k) { return k == 0 || k == n ? 1 : choose(n - 1, k - 1) + choose(n - 1, k); }

template <int N>
struct Binomials {
  float at[N + 1];
  constexpr Binomials() : at() {
    for (int k = 0; k <= N; ++k) at[k] = choose(N, k);  //~ "choose(N, k)" -> "choose(N, k) + k": WRONG_VALUES
  }
};

constexpr int kDegree = 5;
static_assert(choose(kDegree, 2) == 10, "Pascal");  //~ "== 10" -> "== 11": COMPILE_ERROR @here
__constant__ constexpr Binomials<kDegree> coefficients;

enum class Kind : unsigned char { relu, sigmoid, leaky, magnitude };
constexpr unsigned kKinds = 4;

__host__ __device__ constexpr Kind kind_of(int i) { return static_cast<Kind>(i % kKinds); }

__device__ float activate(float v, Kind kind) {
  struct Logistic {
    static __device__ float of(float z) { return 1.0f / (1.0f + expf(-z)); }
  };
  switch (kind) {
    case Kind::relu:
      return fmaxf(v, 0.0f);
    case Kind::sigmoid: {
      const Logistic logistic;
      return logistic.of(v);
    }
    case Kind::leaky:
      v *= 0.1f;  //~ "0.1f" -> "0.2f": WRONG_VALUES
      break;  //~ delete: WRONG_VALUES
    default:  //~ "default" -> "case 3": COMPILE_ERROR @here
      v = fabsf(v);
  }
  return v;
}

__global__ void polynomials(const float* x, float* sum, float* chosen, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  constexpr float start = coefficients.at[kDegree];
  float value = start;
  for (int k = kDegree - 1; k >= 0; --k) value = fmaf(value, x[i], coefficients.at[k]);  //~ "k >= 0" -> "k > 0": WRONG_VALUES
  sum[i] = value;
  chosen[i] = activate(x[i], kind_of(i));  //~ "kind_of(i)" -> "i % 4": COMPILE_ERROR @here
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  auto sum = torch::empty_like(x), chosen = torch::empty_like(x);
  const int n = x.numel();
  constexpr int threads = choose(6, 3) + 12;
  polynomials<<<(n + threads - 1) / threads, threads>>>(x.data_ptr<float>(), sum.data_ptr<float>(),
                                                        chosen.data_ptr<float>(), n);
  return {sum, chosen};
}
