/* Floats to integers in four directions, and beyond an integer's range, where the device saturates.

def reference(x, far):
    wide = x.double()
    i32 = lambda t: t.clamp(-2**31, 2**31 - 1).long()
    whole = torch.where(far.isnan(), torch.zeros_like(far), far).double()
    return (wide.round().long(), wide.trunc().long(), wide.floor().long(), wide.ceil().long(),
            i32(whole), whole.clamp(0, 2**32 - 1).trunc().long(), x.int() * 3, (x.abs() * 2).byte())

def inputs():
    far = torch.tensor([1e20, -1e20, 3e9, -3e9, float("inf"), -float("inf"), float("nan"), 5e9, -1.0])
    halves = torch.arange(-20, 20) + 0.5
    return [torch.cat([halves, torch.randn(50) * 40]), torch.cat([far, torch.randn(81) * 1e9])]
*/
#include <climits>
#include <torch/extension.h>

__global__ void convert(const float* x, const float* far, int64_t* near, int64_t* zero, int64_t* down,
                        int64_t* up, int64_t* whole, int64_t* natural, int* cast, uint8_t* byte, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  near[i] = __float2int_rn(x[i]);  //~ "_rn" -> "_rz": WRONG_VALUES
  zero[i] = __float2int_rz(x[i]);  //~ "_rz" -> "_rd": WRONG_VALUES
  down[i] = __double2ll_rd(x[i]);  //~ "_rd" -> "_ru": WRONG_VALUES
  up[i] = __float2ll_ru(x[i]);  //~ "_ru" -> "_rn": WRONG_VALUES
  whole[i] = __float2int_rz(far[i]) + (__float2ll_rz(NAN) != LLONG_MIN) + (__double2int_rn(NAN) != INT_MIN);  //~ "__float2int_rz(far[i])" -> "(int)far[i]": UNSUPPORTED @here  //~ "__float2int_rz(far" -> "__float2ll_rz(far": WRONG_VALUES
  natural[i] = __float2uint_rz(far[i]);  //~ "__float2uint_rz(far[i])" -> "static_cast<unsigned>(far[i])": UNSUPPORTED @here  //~ "__float2uint_rz" -> "__float2int_rz": WRONG_VALUES
  cast[i] = static_cast<int>(x[i]) * 3;  //~ "x[i]) * 3" -> "x[i] * 3)": WRONG_VALUES
  byte[i] = static_cast<uint8_t>(fabsf(x[i]) * 2.0f);  //~ "fabsf(x[i])" -> "x[i]": UNSUPPORTED @here
}

std::vector<torch::Tensor> forward(torch::Tensor x, torch::Tensor far) {
  const int n = x.numel();
  auto wide = [&] { return torch::empty({n}, x.options().dtype(torch::kInt64)); };
  auto near = wide(), zero = wide(), down = wide(), up = wide(), whole = wide(), natural = wide();
  auto cast = torch::empty({n}, x.options().dtype(torch::kInt32));
  auto byte = torch::empty({n}, x.options().dtype(torch::kUInt8));
  auto p = [](torch::Tensor t) { return t.data_ptr<int64_t>(); };
  convert<<<(n + 31) / 32, 32>>>(x.data_ptr<float>(), far.data_ptr<float>(), p(near), p(zero), p(down),
                                 p(up), p(whole), p(natural), cast.data_ptr<int>(),
                                 byte.data_ptr<uint8_t>(), n);
  return {near, zero, down, up, whole, natural, cast, byte};
}
