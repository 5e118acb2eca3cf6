/* Masks of the lowest bits: a shift by the whole width is undefined, and differs by machine.

def reference(x, bits):
    return torch.where(bits == 32, x, x & ((1 << bits.long()) - 1))

def inputs():
    return [torch.randint(0, 2**31, (99,)), torch.arange(99) % 33]
*/
#include <torch/extension.h>

__global__ void low_bits(const int64_t* x, const int64_t* bits, int64_t* y, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  const int width = bits[i];
  const unsigned mask = width == 32 ? ~0u : (1u << width) - 1;  //~ "width == 32 ? ~0u : (1u << width) - 1" -> "(1u << width) - 1": UNSUPPORTED @here  //~ "(1u << width) - 1" -> "~0u >> (32 - width)": UNSUPPORTED @here  //~ "width == 32 ? ~0u : (1u << width) - 1" -> "(1ull << width) - 1": PASSED  //~ "(1u << width) - 1" -> "(1u << (width - 1)) - 1": UNSUPPORTED @here
  y[i] = static_cast<unsigned>(x[i]) & mask;
}

torch::Tensor forward(torch::Tensor x, torch::Tensor bits) {
  auto y = torch::empty_like(x);
  low_bits<<<1, 128>>>(x.data_ptr<int64_t>(), bits.data_ptr<int64_t>(), y.data_ptr<int64_t>(), x.numel());
  return y;
}
