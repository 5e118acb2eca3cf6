/* A volume by blocks of three dimensions: dim3 arithmetic, launches whose arguments hold >> and <.

def reference(x):
    return x * 2 + x.roll(1, 0), x.permute(2, 0, 1).contiguous(), x.flatten().cumsum(0)[-1:]

def inputs():
    return [torch.rand(5, 6, 33)]
*/
#include <torch/extension.h>

template <int kA, int kB>
struct Larger {
  static constexpr int value = kA > kB ? kA : kB;
};
template <typename T>
constexpr T ceil_div(T a, T b) { return (a + b - 1) / b; }

struct Index {
  int z, y, x;
  __device__ explicit Index(dim3 size) {
    x = blockIdx.x * blockDim.x + threadIdx.x;
    y = blockIdx.y * blockDim.y + threadIdx.y;  //~ "blockIdx.y *" -> "blockIdx.x *": NON_FINITE
    z = blockIdx.z * blockDim.z + threadIdx.z;
    inside = x < size.x && y < size.y && z < size.z;  //~ " && z < size.z" -> "": ILLEGAL_MEMORY_ACCESS
  }
  bool inside;
};

template <int kFactor>
__global__ void neighbours(const float* v, float* out, float* turned, dim3 size) {
  const Index at(size);
  if (!at.inside) return;
  const int plane = size.x * size.y, i = (at.z * size.y + at.y) * size.x + at.x;
  const int before = at.z == 0 ? i + plane * (size.z - 1) : i - plane;  //~ "at.z == 0" -> "at.z < 0": ILLEGAL_MEMORY_ACCESS
  out[i] = kFactor * v[i] + v[before];
  turned[(at.x * size.z + at.z) * size.y + at.y] = v[i];  //~ "at.z) * size.y" -> "at.z) * size.x": ILLEGAL_MEMORY_ACCESS
}

__global__ void total(const float* v, float* sum, int n) {
  const unsigned int threads = gridDim.x * gridDim.y * blockDim.x * blockDim.y;
  const unsigned int block = blockIdx.y * gridDim.x + blockIdx.x;
  const unsigned int thread = threadIdx.y * blockDim.x + threadIdx.x;
  float part = 0.0f;
  for (unsigned int i = block * blockDim.x * blockDim.y + thread; i < n; i += threads) part += v[i];  //~ "i += threads" -> "i += blockDim.x": WRONG_VALUES
  atomicAdd(sum, part);
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  const dim3 size(x.size(2), x.size(1), x.size(0));
  auto out = torch::empty_like(x), turned = torch::empty({size.x, size.z, size.y}, x.options());
  auto sum = torch::zeros({1}, x.options());
  dim3 block(16, 4), grid;
  block.z = 64 >> 5;
  grid.x = ceil_div(size.x, block.x), grid.y = ceil_div(size.y, block.y);
  grid.z = ceil_div<unsigned int>(size.z, block.z);  //~ "size.z" -> "size.y": PASSED  //~ "grid.z =" -> "grid.y =": NON_FINITE
  neighbours<(8 >> 2)><<<grid, dim3(block.x, block.y, block.z)>>>(
      x.data_ptr<float>(), out.data_ptr<float>(), turned.data_ptr<float>(), size);
  const int n = x.numel();
  total<<<dim3(n >> 8, 2), dim3(Larger<8, (16 > 4 ? 16 : 4)>::value, 128 >> 4), (n > 9 ? 0 : 8)>>>(
      x.data_ptr<float>(), sum.data_ptr<float>(), n);
  return {out, turned, sum};
}
