/* A scaled copy by float4 where the row length allows it, and a scalar tail.

def reference(x):
    return x * 0.5

def inputs():
    return [torch.randn(3, 16)]
*/
#include <torch/extension.h>

__global__ void scale4(const float* x, float* y, int width) {
  const float* row = x + blockIdx.x * width;
  float* out = y + blockIdx.x * width;
  const int vectors = width / 4;
  for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
    float4 v = reinterpret_cast<const float4*>(row)[i];  //@load  //~ "(row)[i]" -> "(row + 1)[i]": ILLEGAL_MEMORY_ACCESS @here  //~ "(row)[i]" -> "(row + 2)[i]": ILLEGAL_MEMORY_ACCESS @here  //~ "(row)[i]" -> "(row)[i + vectors]": ILLEGAL_MEMORY_ACCESS @here
    v.x *= 0.5f, v.y *= 0.5f, v.z *= 0.5f, v.w *= 0.5f;
    reinterpret_cast<float4*>(out)[i] = v;
  }
  for (int i = vectors * 4 + threadIdx.x; i < width; i += blockDim.x) out[i] = row[i] * 0.5f;
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const int width = x.size(1);  //~ "x.size(1)" -> "x.size(1) - 1": ILLEGAL_MEMORY_ACCESS @load
  scale4<<<x.size(0), 4>>>(x.data_ptr<float>(), y.data_ptr<float>(), width);
  return y;
}
