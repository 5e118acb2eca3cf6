/* Host code throws; a kernel says what is wrong in a flag, as it has no exceptions.

def reference(x):
    return x.sqrt()

def inputs():
    return [torch.rand(70) + 0.1]
*/
#include <torch/extension.h>
#include <stdexcept>

struct Shape {
  __device__ virtual float value(float v) const { return v; }
};
struct Root : Shape {
  __device__ float value(float v) const override { return sqrtf(v); }
};

__global__ void roots(const float* x, float* y, int* negative, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (x[i] < 0) atomicExch(negative, 1);  //~ "atomicExch(negative, 1)" -> "throw 1": COMPILE_ERROR @here
  Root root;
  const Shape& shape = root;
  y[i] = shape.value(x[i]);  //~ "shape.value" -> "dynamic_cast<const Root&>(shape).value": COMPILE_ERROR @here  //~ "shape.value(x[i])" -> "shape.value(x[i]) + !typeid(shape).name()": COMPILE_ERROR @here  //~ "y[i] = shape.value(x[i]);" -> "try { y[i] = shape.value(x[i]); } catch (...) {}": COMPILE_ERROR @here
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  auto negative = torch::zeros({1}, x.options().dtype(torch::kInt32));
  const int n = x.numel();
  roots<<<(n + 31) / 32, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), negative.data_ptr<int>(), n);
  if (negative.item<int>()) throw std::runtime_error("a negative number");
  return y;
}
