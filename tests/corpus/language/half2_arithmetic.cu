/* a x + y and a ratio in half2 and bfloat162: whole pairs and their halves, fused and not.

def reference(x, y, bx, by):
    fused = (x.double() * 1.5 + y.double()).half()
    apart = bx * by + bx
    return fused, (x - y) * y, apart, torch.maximum(bx, by), x.float().view(-1, 2).sum(1)

def inputs():
    half = lambda: torch.randn(66).half()
    return [half(), half(), half().bfloat16(), half().bfloat16()]
*/
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <torch/extension.h>

__global__ void halves(const half2* x, const half2* y, half2* fused, half2* product, float* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const half2 a = __float2half2_rn(1.5f);  //~ "1.5f" -> "1.6f": WRONG_VALUES
  fused[i] = __hfma2(a, x[i], y[i]);  //~ "x[i], y[i]" -> "y[i], x[i]": WRONG_VALUES
  product[i] = __hmul2(__hsub2(x[i], y[i]), y[i]);  //~ "__hsub2" -> "__hadd2": WRONG_VALUES
  const float2 wide = __half22float2(x[i]);
  sums[i] = wide.x + wide.y;  //~ "wide.y" -> "__low2float(x[i])": WRONG_VALUES
}

__global__ void bfloats(const __nv_bfloat162* x, const __nv_bfloat162* y, __nv_bfloat162* sum,
                        __nv_bfloat162* most, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  sum[i] = __hadd2(__hmul2(x[i], y[i]), x[i]);  //~ "__hadd2(" -> "__hadd(": COMPILE_ERROR @here
  const float2 a = __bfloat1622float2(x[i]);
  const float low = fmaxf(a.x, __low2float(y[i])), high = fmaxf(a.y, __high2float(y[i]));
  most[i] = __floats2bfloat162_rn(low, high);  //~ "low, high" -> "high, low": WRONG_VALUES
}

std::vector<torch::Tensor> forward(torch::Tensor x, torch::Tensor y, torch::Tensor bx, torch::Tensor by) {
  auto fused = torch::empty_like(x), product = torch::empty_like(x);
  auto sum = torch::empty_like(bx), most = torch::empty_like(bx);
  const int n = x.numel() / 2;
  auto sums = torch::empty({n}, x.options().dtype(torch::kFloat32));
  auto pairs = [](torch::Tensor t) { return reinterpret_cast<half2*>(t.data_ptr<at::Half>()); };
  auto wide = [](torch::Tensor t) {
    return reinterpret_cast<__nv_bfloat162*>(t.data_ptr<at::BFloat16>());
  };
  halves<<<2, 32>>>(pairs(x), pairs(y), pairs(fused), pairs(product), sums.data_ptr<float>(), n);  //~ "pairs(x), pairs(y)" -> "wide(x), pairs(y)": COMPILE_ERROR @here
  bfloats<<<2, 32>>>(wide(bx), wide(by), wide(sum), wide(most), n);
  return {fused, product, sum, most, sums};
}
