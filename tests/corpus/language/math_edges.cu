/* Where functions that look alike part: NaN in minima, ties, signs of zero, powers at the edges.

def reference(x):
    nan = x != x
    filled = torch.where(nan, torch.zeros_like(x), x)
    bits = lambda t: t.view(torch.int32)
    away = torch.where(filled.abs() < 1e7, filled.sign() * (filled.abs().double() + 0.5).floor(), filled)
    return (
        torch.fmin(x, torch.ones_like(x)), torch.fmax(x, torch.ones_like(x)),
        bits(filled.round()), bits(torch.copysign(away.float(), filled)), bits(filled.trunc()),
        bits(torch.copysign(torch.full_like(x, 2.0), filled)), filled.clamp(0, 1),
        (x == 0).int() + 2 * nan.int() + 4 * x.isinf().int() + 8 * torch.signbit(filled).int(),
        torch.ones_like(x),
    )

def inputs():
    edges = torch.tensor([0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999997, 1e20, -1e20, float("inf"),
                          -float("inf"), float("nan"), 1e-42, -1e-42, 8388607.5])
    return [torch.cat([edges, torch.randn(40) * 10])]
*/
#include <torch/extension.h>

__global__ void edges(const float* x, float* least, float* most, float* even, float* away, float* whole,
                      float* two, float* unit, int* kind, float* power, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i];
  least[i] = fminf(v, 1.0f);  //~ "fminf(v, 1.0f)" -> "(v < 1.0f ? v : 1.0f)": PASSED  //~ "fminf(v, 1.0f)" -> "(1.0f < v ? 1.0f : v)": NON_FINITE
  most[i] = max(v, 1.0f);  //~ "max(v, 1.0f)" -> "fminf(v, 1.0f)": NON_FINITE  //~ "1.0f" -> "1": COMPILE_ERROR @here
  const float filled = isnan(v) ? 0.0f : v;  //~ "isnan(v) ? 0.0f : v" -> "v": WRONG_VALUES
  even[i] = rintf(filled);  //~ "rintf" -> "roundf": WRONG_VALUES
  away[i] = roundf(filled);  //~ "roundf" -> "rintf": WRONG_VALUES
  whole[i] = truncf(filled);  //~ "truncf" -> "floorf": WRONG_VALUES
  two[i] = copysignf(2.0f, filled);  //~ "copysignf(2.0f, filled)" -> "(filled < 0.0f ? -2.0f : 2.0f)": WRONG_VALUES
  unit[i] = __saturatef(v);
  kind[i] = (v == 0.0f) + 2 * isnan(v) + 4 * (isinf(v) != 0) + 8 * (signbit(filled) != 0);
  const bool right = powf(0.0f, 0.0f) == 1.0f && powf(-2.0f, 3.0f) == -8.0f && powf(1.0f, v) == 1.0f &&
                     powf(v, 0.0f) == 1.0f && isnan(powf(-8.0f, 1.0f / 3.0f)) &&
                     hypotf(3e38f, 4e37f) < INFINITY && isnan(fmodf(v, 0.0f)) &&
                     isinf(1.0f / 0.0f) && fmaxf(NAN, NAN) != 0.0f;
  power[i] = right;  //~ "= right" -> "= !right": WRONG_VALUES
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  const int n = x.numel();
  auto like = [&] { return torch::empty_like(x); };
  auto least = like(), most = like(), even = like(), away = like(), whole = like(), two = like();
  auto unit = like(), power = like();
  auto kind = torch::empty({n}, x.options().dtype(torch::kInt32));
  auto p = [](torch::Tensor t) { return t.data_ptr<float>(); };
  edges<<<2, 32>>>(p(x), p(least), p(most), p(even), p(away), p(whole), p(two), p(unit),
                   kind.data_ptr<int>(), p(power), n);
  auto bits = [](torch::Tensor t) { return t.view(torch::kInt32); };
  return {least, most, bits(even), bits(away), bits(whole), bits(two), unit, kind, power};
}
