/* A table of device functions by pointer, a pointer as template argument, a member by pointer.

def reference(x, which):
    kinds = [torch.relu(x), torch.tanh(x), x * x]
    picked = sum(torch.where(which == i, kind, torch.zeros_like(x)) for i, kind in enumerate(kinds))
    return picked, torch.tanh(torch.tanh(x)), x + 3

def inputs():
    return [torch.randn(64), torch.arange(64, dtype=torch.int32) % 3]
*/
#include <torch/extension.h>

typedef float (*Unary)(float);

__device__ float relu(float v) { return v > 0.0f ? v : 0.0f; }
__device__ float squash(float v) { return tanhf(v); }
__device__ float square(float v) { return v * v; }

__device__ Unary table[3] = {relu, squash, square};  //~ "squash, square" -> "square, squash": WRONG_VALUES  //~ "{relu, squash" -> "{relu, squish": COMPILE_ERROR @here

struct Point {
  float x, y;
};

template <Unary kFunction>
__device__ float twice(float v) { return kFunction(kFunction(v)); }

__global__ void apply(const float* x, const int* which, float* picked, float* again, float* moved, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  picked[i] = table[which[i]](x[i]);  //~ "table[which[i]]" -> "table[which[i] + 1]": ILLEGAL_MEMORY_ACCESS @here
  again[i] = twice<squash>(x[i]);  //~ "<squash>" -> "<relu>": WRONG_VALUES
  Point point{x[i], 3.0f};
  float Point::*member = &Point::y;  //~ "&Point::y" -> "&Point::x": WRONG_VALUES
  moved[i] = point.x + point.*member;
}

std::vector<torch::Tensor> forward(torch::Tensor x, torch::Tensor which) {
  auto picked = torch::empty_like(x), again = torch::empty_like(x), moved = torch::empty_like(x);
  const int n = x.numel();
  apply<<<2, 32>>>(x.data_ptr<float>(), which.data_ptr<int>(), picked.data_ptr<float>(),
                   again.data_ptr<float>(), moved.data_ptr<float>(), n);
  return {picked, again, moved};
}
