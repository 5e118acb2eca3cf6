/* Limits and constants in device code, min and max over mixed types, std::min of constexpr kind.

def reference(x, k):
    turns = torch.stack([x.amin(), x.amax()])
    mixed = torch.minimum(k.long() & 0xffffffff, torch.tensor(40))
    return turns, mixed, k.clamp(-5, 5), torch.ones(8), x.double().clamp(max=0.1)

def inputs():
    return [torch.randn(60), torch.randint(-100, 100, (60,), dtype=torch.int32)]
*/
#include <algorithm>
#include <cfloat>
#include <climits>
#include <cmath>
#include <limits>
#include <torch/extension.h>

__global__ void extremes(const float* x, float* turns, int n) {
  float low = INFINITY, high = -FLT_MAX;  //~ "INFINITY" -> "-INFINITY": NON_FINITE  //~ "-FLT_MAX" -> "FLT_MAX": WRONG_VALUES
  for (int i = 0; i < n; ++i) low = fminf(low, x[i]), high = fmaxf(high, x[i]);
  turns[0] = low;
  turns[1] = high;
}

__global__ void bounded(const float* x, const int* k, int64_t* mixed, int* inner, double* wide, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned int most = 40u;
  mixed[i] = min(k[i], most);  //~ "min(k[i], most)" -> "min(k[i], 40)": WRONG_VALUES  //~ "min(k[i], most)" -> "min(k[i], 40.0f)": COMPILE_ERROR @here
  inner[i] = std::max(std::min(k[i], 5), -5);  //~ "5), -5" -> "5u), -5": COMPILE_ERROR @here  //~ "-5)" -> "0)": WRONG_VALUES
  wide[i] = min(static_cast<double>(x[i]), 0.1);  //~ "min(" -> "max(": WRONG_VALUES
}

__global__ void constants(float* right) {
  using Limits = std::numeric_limits<float>;
  right[0] = Limits::max() == FLT_MAX && Limits::lowest() == -FLT_MAX;
  right[1] = std::numeric_limits<int>::min() == INT_MIN && INT_MIN - 1 == INT_MAX;
  right[2] = Limits::infinity() == INFINITY && isinf(-INFINITY);
  right[3] = fabs(M_PI - 4 * atan(1.0)) < 1e-12;
  right[4] = Limits::epsilon() == FLT_EPSILON && FLT_MIN / 2 > 0.0f;
  right[5] = NAN != NAN;  //~ "!=" -> "==": WRONG_VALUES
  right[6] = UINT_MAX + 1u == 0u && LLONG_MAX > ULLONG_MAX / 4;
  right[7] = warpSize == 32 && sizeof(long) == 8 && static_cast<char>(200) < 0;
}

std::vector<torch::Tensor> forward(torch::Tensor x, torch::Tensor k) {
  const int n = x.numel();
  auto turns = torch::empty({2}, x.options()), right = torch::empty({8}, x.options());
  auto mixed = torch::empty({n}, k.options().dtype(torch::kInt64)), inner = torch::empty_like(k);
  auto wide = torch::empty({n}, x.options().dtype(torch::kFloat64));
  extremes<<<1, 1>>>(x.data_ptr<float>(), turns.data_ptr<float>(), n);
  bounded<<<2, 32>>>(x.data_ptr<float>(), k.data_ptr<int>(), mixed.data_ptr<int64_t>(),
                     inner.data_ptr<int>(), wide.data_ptr<double>(), n);
  constants<<<1, 1>>>(right.data_ptr<float>());
  return {turns, mixed, inner, right, wide};
}
