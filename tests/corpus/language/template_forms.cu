/* Template template parameters, non-type parameters, packs folded in device code, if constexpr.

def reference(x, y):
    return torch.relu(3 * x + 0.5 * y + 1), (x * x + y * y).double(), torch.stack([x, y]).amin(0)

def inputs():
    return [torch.randn(77), torch.randn(77)]
*/
#include <torch/extension.h>
#include <type_traits>

template <typename T>
struct Relu {
  static __device__ T apply(T v) { return v > T(0) ? v : T(0); }
};
template <typename T>
struct Identity {
  static __device__ T apply(T v) { return v; }
};

template <typename... Ts>
__device__ float sum_of(Ts... values) {
  return (values + ... + 0.0f);  //~ "0.0f" -> "1.0f": WRONG_VALUES
}

template <typename First, typename... Rest>
__device__ First least(First first, Rest... rest) {
  if constexpr (sizeof...(rest) == 0) {  //~ "if constexpr" -> "if": COMPILE_ERROR
    return first;
  } else {
    const First other = least(rest...);
    return other < first ? other : first;  //~ "other < first" -> "first < other": WRONG_VALUES
  }
}

template <template <typename> class Activation, typename T, int kScale = 2, bool kBias = true>
__global__ void affine(const T* x, const T* y, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T v = sum_of(x[i] * kScale, y[i] * T(0.5));
  if constexpr (kBias) v += T(1);
  out[i] = Activation<T>::apply(v);
}

template <typename Out, typename... In>
__global__ void squares(Out* out, int n, const In*... in) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  static_assert((std::is_same_v<In, float> && ...), "floats only");
  Out sum = 0;
  ((sum += static_cast<Out>(in[i]) * in[i]), ...);  //~ "+= " -> "= ": WRONG_VALUES
  out[i] = sum;
}

__global__ void minima(const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = least(x[i], y[i], x[i] + 100.0f);
}

std::vector<torch::Tensor> forward(torch::Tensor x, torch::Tensor y) {
  const int n = x.numel();
  const float *px = x.data_ptr<float>(), *py = y.data_ptr<float>();
  auto a = torch::empty_like(x), c = torch::empty_like(x);
  auto b = torch::empty({n}, x.options().dtype(torch::kFloat64));
  affine<Relu, float, 3><<<2, 64>>>(px, py, a.data_ptr<float>(), n);  //~ "<Relu, float, 3>" -> "<Relu, float>": WRONG_VALUES  //~ "<Relu, float, 3>" -> "<Relu, float, 3, false>": WRONG_VALUES  //~ "<Relu, float, 3>" -> "<Identity, float, 3>": WRONG_VALUES  //~ "<Relu, float, 3>" -> "<Relu<float>, float, 3>": COMPILE_ERROR
  squares<<<2, 64>>>(b.data_ptr<double>(), n, px, py);  //~ "n, px, py" -> "n, px, b.data_ptr<double>()": COMPILE_ERROR  //~ "n, px, py" -> "n, px": WRONG_VALUES
  minima<<<2, 64>>>(px, py, c.data_ptr<float>(), n);
  return {a, b, c};
}
