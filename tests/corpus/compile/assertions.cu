/* Checks of the compiler: static_assert, narrowing, constant expressions, includes.

def reference(x):
    return x.view(-1, 4).sum(1)

def inputs():
    return [torch.randn(20, 4)]
*/
#include <torch/extension.h>
#include <cstdint>  //~ "cstdint" -> "cstdinth": COMPILE_ERROR @here

constexpr int kLanes = 4;  //~ "4" -> "3": COMPILE_ERROR @power
static_assert((kLanes & (kLanes - 1)) == 0, "lanes must be a power of two");  //@power

template <int lanes>
__global__ void sum_groups(const float4* x, float* sums, int groups) {
  static_assert(lanes <= 32, "a group is at most a warp");  //@warp
  const uint32_t group = blockIdx.x * blockDim.x + threadIdx.x;  //~ "uint32_t group" -> "uint23_t group": COMPILE_ERROR @here
  if (group >= groups) return;
  const float4 v = x[group];
  float parts[lanes] = {v.x, v.y, v.z, v.w};  //~ "v.x" -> "v.r": COMPILE_ERROR @here  //~ "[lanes]" -> "[lanes - 1]": COMPILE_ERROR @here
  float sum = 0;
  for (int k = 0; k < lanes; ++k) sum += parts[k];
  sums[group] = sum;
}

torch::Tensor forward(torch::Tensor x) {
  const int groups = x.size(0);
  const int64_t shape[] = {x.size(0)};  //~ "int64_t shape" -> "int shape": PASSED
  auto sums = torch::empty({shape[0]}, x.options());
  const auto* p = reinterpret_cast<const float4*>(x.data_ptr<float>());  //~ "const auto*" -> "auto": PASSED  //~ "reinterpret_cast" -> "static_cast": COMPILE_ERROR @here
  sum_groups<kLanes><<<1, 32>>>(p, sums.data_ptr<float>(), groups);  //~ "<kLanes>" -> "<64>": COMPILE_ERROR @warp  //~ "<kLanes>" -> "": COMPILE_ERROR @here  //~ "<kLanes>" -> "<groups>": COMPILE_ERROR @here
  return sums;
}
