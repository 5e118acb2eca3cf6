/* Integer intrinsics: counted, reversed, permuted and funnelled bits, high products, sums of bytes.

def reference(a, b):
    u, v = a.long() & 0xffffffff, b.long() & 0xffffffff
    place = torch.arange(32)
    on = u[:, None] >> place & 1
    order = torch.tensor([0, 5, 2, 7])
    both = torch.cat([a.view(torch.uint8).view(-1, 4), b.view(torch.uint8).view(-1, 4)], 1)
    small = lambda t: t.view(torch.int8).view(-1, 4).long()
    byte = lambda t: t.view(torch.uint8).view(-1, 4).long()
    low = lambda t: (t.long() << 40) >> 40
    return (
        on.sum(1), 31 - (on * place).amax(1), 33 - (on * (32 - place)).amax(1),
        (on << (31 - place)).sum(1),
        both[:, order].contiguous().view(torch.int32).flatten().long(),
        a.long() * b.long() >> 32, low(a) * low(b) << 32 >> 32,
        (a.long() - b.long()).abs() + 5 & 0xffffffff,
        (small(a) * small(b)).sum(1) + a, (byte(a) * byte(b)).sum(1) + u & 0xffffffff,
        (u << 9 | v >> 23) & 0xffffffff, (u >> 9 | v << 23) & 0xffffffff,
    )

def inputs():
    full = lambda: torch.randint(-2**31, 2**31, (90,), dtype=torch.int64).int()
    a = full()
    a[:32] = torch.tensor([1 << i for i in range(31)] + [-2**31]).int()
    return [a, full()]
*/
#include <torch/extension.h>

struct Outputs {
  int64_t* at[12];
};

__global__ void intrinsics(const int* a, const int* b, Outputs out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int x = a[i], y = b[i];
  const unsigned int u = x, v = y;
  out.at[0][i] = __popc(u);  //~ "__popc(u)" -> "__popc(u >> 1)": WRONG_VALUES
  out.at[1][i] = __clz(x);  //~ "__clz(x)" -> "__clz(y)": WRONG_VALUES
  out.at[2][i] = __ffs(x);  //~ "__ffs(x)" -> "__ffs(x) - 1": WRONG_VALUES
  out.at[3][i] = __brev(u);  //~ "__brev(u)" -> "(int)__brev(u)": WRONG_VALUES
  const unsigned int mixed = __byte_perm(u, v, 0x7250);  //~ "0x7250" -> "0x0527": WRONG_VALUES
  out.at[4][i] = static_cast<int>(mixed);
  out.at[5][i] = __mulhi(x, y);  //~ "__mulhi" -> "__umulhi": WRONG_VALUES
  out.at[6][i] = __mul24(x, y);  //~ "__mul24(x, y)" -> "x * y": WRONG_VALUES
  out.at[7][i] = __sad(x, y, 5u);  //~ "__sad" -> "__usad": WRONG_VALUES
  out.at[8][i] = static_cast<int64_t>(__dp4a(x, y, 0)) + x;  //~ "__dp4a(x, y, 0)" -> "__dp4a(u, v, 0u)": WRONG_VALUES
  out.at[9][i] = __dp4a(u, v, u);
  out.at[10][i] = __funnelshift_l(v, u, 41);  //~ "v, u" -> "u, v": WRONG_VALUES
  out.at[11][i] = __funnelshift_rc(u, v, 9);  //~ ", 9)" -> ", 41)": WRONG_VALUES
}

std::vector<torch::Tensor> forward(torch::Tensor a, torch::Tensor b) {
  const int n = a.numel();
  std::vector<torch::Tensor> results;
  Outputs out;
  for (auto& p : out.at) {
    results.push_back(torch::empty({n}, a.options().dtype(torch::kInt64)));
    p = results.back().data_ptr<int64_t>();
  }
  intrinsics<<<3, 32>>>(a.data_ptr<int>(), b.data_ptr<int>(), out, n);
  return results;
}
