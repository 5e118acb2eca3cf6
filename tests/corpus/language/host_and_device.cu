/* One function with two bodies, chosen by __CUDA_ARCH__: host code takes the other one.

def reference(x):
    return x * 2 + 1, torch.tensor([300.0, 7.0, 5.0, 0.0])

def inputs():
    return [torch.rand(50)]
*/
#include <torch/extension.h>

__host__ __device__ inline int side() {
#ifdef __CUDA_ARCH__  //~ "#ifdef" -> "#ifndef": WRONG_VALUES
  return 2;
#else
  return 300;
#endif
}

struct Side {
  __host__ __device__ int number() const {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
    const int here = 1;
    return here;
#else
    return 7;  //~ "7" -> "8": WRONG_VALUES
#endif
  }
};

__host__ __device__ __forceinline__ float scaled(float v) {
#if !defined(__CUDA_ARCH__)
  return v * 100.0f;
#else
  return v * side();  //~ "side()" -> "side() * 2": WRONG_VALUES
#endif
}

__global__ void twice_and_one(const float* x, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = scaled(x[i]) + Side().number();
}

static float arch_of_host() {
#ifdef __CUDA_ARCH__
  return 1.0f;
#else
  return 0.0f;
#endif
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  auto y = torch::empty_like(x), sides = torch::empty({4}, x.options().device(torch::kCPU));
  const int n = x.numel();
  twice_and_one<<<2, 32>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  float* s = sides.data_ptr<float>();
  s[0] = side();
  s[1] = Side().number();
  s[2] = scaled(0.05f);
  s[3] = arch_of_host();
  return {y, sides.to(x.device())};
}
