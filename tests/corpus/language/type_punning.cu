/* Bits of floats: sort keys by __float_as_int, exponents by a union, halves of a double.

def reference(x):
    bits = x.view(torch.int32)
    keys = torch.where(bits < 0, ~bits, bits ^ -2**31)
    words = x.double().view(torch.int32).view(-1, 2)
    return keys, (bits >> 23 & 255) - 127, x.abs(), words[:, 1].contiguous(), bits >> 16 & 0xffff

def inputs():
    return [torch.randn(70) * 10 ** torch.randint(-5, 5, (70,)).float()]
*/
#include <torch/extension.h>

union Word {
  float f;
  unsigned int u;
  struct {
    unsigned short low, high;
  };
  unsigned char bytes[4];
};

__global__ void bits_of(const float* x, int* keys, int* exponents, float* size, int* high, int* top,
                        int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int bits = __float_as_int(x[i]);
  keys[i] = bits < 0 ? ~bits : bits ^ 0x80000000;  //~ "~bits" -> "bits": WRONG_VALUES
  Word word;
  word.f = x[i];
  exponents[i] = static_cast<int>(word.u >> 23 & 0xff) - 127;  //~ "word.u" -> "word.bytes[3]": WRONG_VALUES
  top[i] = word.high;  //~ "word.high" -> "word.low": WRONG_VALUES
  unsigned int plain = *reinterpret_cast<const unsigned int*>(&x[i]) & 0x7fffffffu;
  size[i] = __int_as_float(static_cast<int>(plain));  //~ "__int_as_float" -> "__int2float_rn": WRONG_VALUES
  const double wide = x[i];
  high[i] = __double2hiint(wide);  //~ "hiint" -> "loint": WRONG_VALUES
  if (__hiloint2double(__double2hiint(wide), __double2loint(wide)) != wide) high[i] = -1;
  if (__longlong_as_double(__double_as_longlong(wide)) != wide) high[i] = -2;
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  const int n = x.numel();
  auto whole = [&] { return torch::empty({n}, x.options().dtype(torch::kInt32)); };
  auto keys = whole(), exponents = whole(), high = whole(), top = whole();
  auto size = torch::empty_like(x);
  bits_of<<<3, 32>>>(x.data_ptr<float>(), keys.data_ptr<int>(), exponents.data_ptr<int>(),
                     size.data_ptr<float>(), high.data_ptr<int>(), top.data_ptr<int>(), n);
  return {keys, exponents, size, high, top};
}
