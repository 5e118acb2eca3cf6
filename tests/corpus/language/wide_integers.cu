/* A 64-bit mixing hash with wraparound, bytes with a sign, shorts, and flags as an array of bool.

def wrap(v):
    return (v + 2**63) % 2**64 - 2**63

def mix(v):
    v = (v + 0x9e3779b97f4a7c15) % 2**64
    v = (v ^ v >> 30) * 0xbf58476d1ce4e5b9 % 2**64
    v = (v ^ v >> 27) * 0x94d049bb133111eb % 2**64
    return v ^ v >> 31

def reference(k, b):
    hashed = torch.tensor([wrap(mix(v % 2**64)) for v in k.tolist()])
    down = torch.tensor([(v - 7) % 2**32 for v in range(len(k))])
    shorts = (b.int() * 300).short()
    return hashed, down, b.int() >> 1, shorts, (b > 0) != (k % 2 == 0), k.abs() * 2

def inputs():
    return [torch.randint(-2**40, 2**40, (60,)), torch.randint(-128, 128, (60,), dtype=torch.int8)]
*/
#include <torch/extension.h>

using u64 = unsigned long long;

__device__ u64 mix(u64 v) {
  v += 0x9e3779b97f4a7c15ULL;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9ULL;  //~ "ULL" -> " & 0xffffffff": WRONG_VALUES
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebULL;
  return v ^ v >> 31;  //~ "v >> 31" -> "(int64_t)v >> 31": WRONG_VALUES
}

__global__ void integers(const int64_t* k, const int8_t* b, int64_t* hashed, int64_t* down, int* half,
                         short* shorts, bool* flags, int64_t* size, int n) {
  const unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  hashed[i] = static_cast<int64_t>(mix(k[i]));  //~ "mix(k[i])" -> "mix((unsigned)k[i])": WRONG_VALUES
  down[i] = i - 7;  //~ "i - 7" -> "static_cast<int>(i) - 7": WRONG_VALUES
  const signed char byte = b[i];  //~ "signed char" -> "unsigned char": WRONG_VALUES
  half[i] = byte >> 1;  //~ "byte >> 1" -> "byte / 2": WRONG_VALUES
  shorts[i] = byte * 300;
  const bool odd[2] = {k[i] % 2 == 0, byte > 0};  //~ "% 2 == 0" -> "% 2 == 1": WRONG_VALUES
  flags[i] = odd[0] ^ odd[1];  //~ "odd[0] ^ odd[1]" -> "odd[0] + odd[1]": WRONG_VALUES
  size[i] = llabs(k[i]) * 2LL;  //~ "llabs(k[i])" -> "abs((int)k[i])": WRONG_VALUES
}

std::vector<torch::Tensor> forward(torch::Tensor k, torch::Tensor b) {
  const int n = k.numel();
  auto hashed = torch::empty_like(k), down = torch::empty_like(k), size = torch::empty_like(k);
  auto half = torch::empty({n}, k.options().dtype(torch::kInt32));
  auto shorts = torch::empty({n}, k.options().dtype(torch::kInt16));
  auto flags = torch::empty({n}, k.options().dtype(torch::kBool));
  integers<<<2, 32>>>(k.data_ptr<int64_t>(), b.data_ptr<int8_t>(), hashed.data_ptr<int64_t>(),
                      down.data_ptr<int64_t>(), half.data_ptr<int>(), shorts.data_ptr<short>(),
                      flags.data_ptr<bool>(), size.data_ptr<int64_t>(), n);
  return {hashed, down, half, shorts, flags, size};
}
