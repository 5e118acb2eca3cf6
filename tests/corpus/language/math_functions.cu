/* Eighteen functions of the device's mathematics library, each against torch's own.

def reference(x, y):
    p = x.abs() + 0.1
    wide = x.double()
    return torch.stack([
        p.rsqrt(), x.erf(), x.erfc(), x.tanh(), x.exp2(), p.log1p(), x.expm1(),
        torch.hypot(x, y), wide.sign().float() * p.sub(0.1).pow(1 / 3), torch.special.ndtr(x),
        torch.lgamma(p), p.pow(y), wide.mul(torch.pi).sin().float(), wide.sin().mul(y).float(),
        wide.cos().mul(y).float(), torch.atan2(x, y), torch.fmod(x * 7, p), torch.special.erfcx(x),
    ])

def inputs():
    return [torch.randn(100), torch.randn(100)]
*/
#include <torch/extension.h>

__global__ void functions(const float* x, const float* y, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float a = x[i], b = y[i], p = fabsf(a) + 0.1f;
  float* o = out + i;
  float s, c;
  sincosf(a, &s, &c);  //~ "&s, &c" -> "&c, &s": WRONG_VALUES
  int row = 0;
  o[n * row++] = rsqrtf(p);  //~ "rsqrtf(p)" -> "sqrtf(p)": WRONG_VALUES
  o[n * row++] = erff(a);
  o[n * row++] = erfcf(a);  //~ "erfcf" -> "erff": WRONG_VALUES
  o[n * row++] = tanhf(a);
  o[n * row++] = exp2f(a);  //~ "exp2f" -> "expf": WRONG_VALUES
  o[n * row++] = log1pf(p);  //~ "log1pf" -> "logf": WRONG_VALUES
  o[n * row++] = expm1f(a);
  o[n * row++] = hypotf(a, b);
  o[n * row++] = cbrtf(a);  //~ "cbrtf(a)" -> "powf(a, 1.0f / 3.0f)": NON_FINITE
  o[n * row++] = normcdff(a);
  o[n * row++] = lgammaf(p);
  o[n * row++] = powf(p, b);
  o[n * row++] = sinpif(a);  //~ "sinpif(a)" -> "sinf(3.14f * a)": WRONG_VALUES
  o[n * row++] = s * b;
  o[n * row++] = c * b;
  o[n * row++] = atan2f(a, b);  //~ "a, b" -> "b, a": WRONG_VALUES
  o[n * row++] = fmodf(a * 7.0f, p);  //~ "fmodf" -> "remainderf": WRONG_VALUES
  o[n * row++] = erfcxf(a);
}

torch::Tensor forward(torch::Tensor x, torch::Tensor y) {
  const int n = x.numel();
  auto out = torch::empty({18, n}, x.options());  //~ "18, n" -> "17, n": ILLEGAL_MEMORY_ACCESS
  functions<<<(n + 31) / 32, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), out.data_ptr<float>(), n);
  return out;
}
