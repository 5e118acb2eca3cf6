/* The bits of floats rounded to half and bfloat16 in each direction: ties, subnormals, overflow.

def reference(x):
    near = x.half()
    bits = near.view(torch.int16).int()
    wide = near.double()
    v = x.double()
    smaller, larger = wide.abs() < v.abs(), wide.abs() > v.abs()
    zero = bits - larger.int()
    away = bits + smaller.int()
    up = torch.where(v > 0, away, zero)
    down = torch.where(v > 0, zero, away)
    brain = x.bfloat16()
    return bits, zero, up, down, brain.view(torch.int16).int()

def inputs():
    ties = (torch.randint(1024, 2048, (40,)) * 2 + 1) / 4096 * 2.0 ** torch.randint(-13, 15, (40,))
    tiny = torch.rand(20) * 2.0 ** -15
    edges = torch.tensor([65519.0, 65520.0, 65536.0, 1e6, 2.0 ** -25, 2.0 ** -24 * 1.5, 1 + 2.0 ** -8,
                          1 + 3 * 2.0 ** -8])
    x = torch.cat([ties, tiny, torch.rand(20) * 100 + 0.01, edges])
    return [torch.cat([x, -x])]
*/
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <torch/extension.h>

__device__ int bits(__half h) { return static_cast<short>(__half_as_ushort(h)); }  //~ "static_cast<short>" -> "static_cast<unsigned short>": WRONG_VALUES

__global__ void rounded(const float* x, int* near, int* zero, int* up, int* down, int* brain, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  near[i] = bits(__float2half_rn(x[i]));  //~ "_rn" -> "_rz": WRONG_VALUES  //~ "_rn" -> "_ru": WRONG_VALUES
  zero[i] = bits(__float2half_rz(x[i]));  //~ "_rz" -> "_rd": WRONG_VALUES
  up[i] = bits(__float2half_ru(x[i]));  //~ "_ru" -> "_rd": WRONG_VALUES
  down[i] = bits(__float2half_rd(x[i]));  //~ "_rd" -> "_rz": WRONG_VALUES
  brain[i] = __bfloat16_as_short(__float2bfloat16(x[i]));  //~ "__float2bfloat16(" -> "__float2bfloat16_rz(": WRONG_VALUES
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  const int n = x.numel();
  auto whole = [&] { return torch::empty({n}, x.options().dtype(torch::kInt32)); };
  auto near = whole(), zero = whole(), up = whole(), down = whole(), brain = whole();
  rounded<<<(n + 31) / 32, 32>>>(x.data_ptr<float>(), near.data_ptr<int>(), zero.data_ptr<int>(),
                                 up.data_ptr<int>(), down.data_ptr<int>(), brain.data_ptr<int>(), n);
  return {near, zero, up, down, brain};
}
