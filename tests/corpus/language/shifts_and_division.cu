/* Shifts up to the width of a type and quotients up to the edges of int, each kept within them.

def reference(k, d):
    u = k.long() & 0xffffffff
    s = d.long().abs() % 33
    full = s == 32
    left = torch.where(full, 0, (u << s.clamp(max=31)) & 0xffffffff)
    right = torch.where(full, 0, u >> s.clamp(max=31))
    safe = torch.where(d == 0, 1, d).long()
    ratio = torch.where(d == 0, 0, torch.div(k.long(), safe, rounding_mode="trunc"))
    return left, right, k.long() >> s.clamp(max=31), ratio, k.long() - safe * ratio

def inputs():
    d = torch.randint(-40, 40, (80,), dtype=torch.int32)
    d[:4] = torch.tensor([0, 32, -1, 31])
    k = torch.randint(-2**31, 2**31 - 1, (80,)).int()
    k[2] = -2**31 + 1
    return [k, d]
*/
#include <torch/extension.h>

__global__ void shifts(const int* k, const int* d, int64_t* left, int64_t* right, int64_t* sign,
                       int64_t* ratio, int64_t* rest, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int s = abs(d[i]) % 33, most = min(s, 31);
  const unsigned int u = k[i];
  left[i] = s < 32 ? u << s : 0u;  //~ "s < 32 ? u << s : 0u" -> "u << s": UNSUPPORTED @here
  right[i] = __funnelshift_rc(u, 0u, s);  //~ "__funnelshift_rc" -> "__funnelshift_r": WRONG_VALUES
  sign[i] = k[i] >> most;  //~ "most" -> "s": UNSUPPORTED @here  //~ "k[i]" -> "u": WRONG_VALUES
  const int divisor = d[i];
  ratio[i] = divisor == 0 ? 0 : k[i] / divisor;  //~ "divisor == 0" -> "k[i] == 7": RUNTIME_ERROR @here
  rest[i] = divisor == 0 ? k[i] : k[i] % divisor;  //~ ": k[i] % divisor" -> ": k[i] & divisor - 1": WRONG_VALUES
}

std::vector<torch::Tensor> forward(torch::Tensor k, torch::Tensor d) {
  const int n = k.numel();
  auto wide = [&] { return torch::empty({n}, k.options().dtype(torch::kInt64)); };
  auto left = wide(), right = wide(), sign = wide(), ratio = wide(), rest = wide();
  auto p = [](torch::Tensor t) { return t.data_ptr<int64_t>(); };
  shifts<<<(n + 31) / 32, 32>>>(k.data_ptr<int>(), d.data_ptr<int>(), p(left), p(right), p(sign),
                                p(ratio), p(rest), n);
  return {left, right, sign, ratio, rest};
}
