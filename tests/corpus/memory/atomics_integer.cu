/* Ten statistics of integers, each by another atomic function.

def reference(x):
    v = x.flatten().tolist()
    bits = [0xFFFFFFFF, 0, 0]
    for i in v:
        bits = [bits[0] & (i | 0xFF00), bits[1] | i, bits[2] ^ i]
    bits[0] -= 1 << 32 if bits[0] >= 1 << 31 else 0
    n = len(v)
    out = [sum(v), -sum(v), min(v), max(v), *bits, n % 7, (-n) % 8, sum(i == 3 for i in v)]
    return torch.tensor(out, dtype=torch.int32)

def inputs():
    return [torch.randint(0, 1000, (130,), dtype=torch.int32)]
*/
#include <torch/extension.h>

__global__ void statistics(const int* x, int* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int v = x[i];
  unsigned* bits = reinterpret_cast<unsigned*>(out);
  atomicAdd(&out[0], v);  //~ "atomicAdd(&out[0], v)" -> "out[0] += v": DATA_RACE @here
  atomicSub(&out[1], v);
  atomicMin(&out[2], v);  //~ "atomicMin(&out[2], v)" -> "if (v < out[2]) out[2] = v": DATA_RACE @here
  atomicMax(&out[3], v);  //~ "&out[3]" -> "&out[10]": ILLEGAL_MEMORY_ACCESS @here
  atomicAnd(&bits[4], v | 0xFF00u);
  atomicOr(&bits[5], v);  //~ "atomicOr" -> "atomicExch": WRONG_VALUES
  atomicXor(&bits[6], v);
  atomicInc(&bits[7], 6);  //~ "6" -> "7": WRONG_VALUES
  atomicDec(&bits[8], 7);
  if (v == 3) {
    int old = out[9], seen;
    do {
      seen = old;
      old = atomicCAS(&out[9], seen, seen + 1);
    } while (seen != old);
  }
}

torch::Tensor forward(torch::Tensor x) {
  auto out = torch::zeros({10}, x.options());
  out[2].fill_(1 << 30);
  out[4].fill_(-1);
  statistics<<<5, 32>>>(x.data_ptr<int>(), out.data_ptr<int>(), x.numel());
  return out;
}
