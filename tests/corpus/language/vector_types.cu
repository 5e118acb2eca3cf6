/* Vectors of CUDA: float4 and int4 loads, uchar4 pixels, double2 sums, make_* and members.

def reference(x, k, p):
    weights = torch.tensor([0.299, 0.587, 0.114])
    gray = (p[:, :3].float() * weights).sum(1)
    return x * 2 + 1, k.flip(1), gray, torch.stack([x.double().sum(1), x.double().pow(2).sum(1)], 1)

def inputs():
    return [torch.randn(45, 4), torch.randint(-99, 99, (45, 4), dtype=torch.int32),
            torch.randint(0, 256, (45, 4), dtype=torch.uint8)]
*/
#include <torch/extension.h>

__device__ inline float4 operator*(float4 a, float s) {
  return make_float4(a.x * s, a.y * s, a.z * s, a.w * s);  //~ "a.w * s" -> "a.z * s": WRONG_VALUES
}
__device__ inline float4& operator+=(float4& a, const float4& b) {
  a.x += b.x, a.y += b.y, a.z += b.z, a.w += b.w;
  return a;
}
__device__ inline float dot(const float3& a, const float3& b) {
  return fmaf(a.x, b.x, fmaf(a.y, b.y, a.z * b.z));
}

__global__ void vectors(const float* __restrict__ x, const int4* __restrict__ k,
                        const uchar4* __restrict__ p, float4* y, int4* flipped, float* gray,
                        double2* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float4 v = __ldg(reinterpret_cast<const float4*>(x) + i);  //~ "(x) + i" -> "(x + 1) + i": ILLEGAL_MEMORY_ACCESS
  float4 w = v * 2.0f;
  w += make_float4(1.0f, 1.0f, 1.0f, 1.0f);
  y[i] = w;  //~ "= w" -> "= make_float3(w.x, w.y, w.z)": COMPILE_ERROR @here
  const int4 row = k[i];
  flipped[i] = make_int4(row.w, row.z, row.y, row.x);  //~ "row.w, row.z" -> "row.z, row.w": WRONG_VALUES
  const uchar4 pixel = p[i];
  gray[i] = dot(make_float3(pixel.x, pixel.y, pixel.z), {0.299f, 0.587f, 0.114f});  //~ "pixel.x, pixel.y" -> "pixel.y, pixel.x": WRONG_VALUES  //~ "pixel.z" -> "(signed char)pixel.z": WRONG_VALUES
  double2 sum{0.0, 0.0};
  const float* lanes = &v.x;
#pragma unroll 4
  for (int lane = 0; lane < 4; ++lane) {  //~ "lane < 4" -> "lane < 3": WRONG_VALUES
    const double value = lanes[lane];
    sum = make_double2(sum.x + value, sum.y + value * value);
  }
  sums[i] = sum;
}

std::vector<torch::Tensor> forward(torch::Tensor x, torch::Tensor k, torch::Tensor p) {
  const int n = x.size(0);
  auto y = torch::empty_like(x), gray = torch::empty({n}, x.options());
  auto flipped = torch::empty_like(k);
  auto sums = torch::empty({n, 2}, x.options().dtype(torch::kFloat64));
  vectors<<<dim3{2}, dim3(32)>>>(
      x.data_ptr<float>(), reinterpret_cast<const int4*>(k.data_ptr<int>()),
      reinterpret_cast<const uchar4*>(p.data_ptr<uint8_t>()),
      reinterpret_cast<float4*>(y.data_ptr<float>()), reinterpret_cast<int4*>(flipped.data_ptr<int>()),
      gray.data_ptr<float>(), reinterpret_cast<double2*>(sums.data_ptr<double>()), n);
  return {y, flipped, gray, sums};
}
