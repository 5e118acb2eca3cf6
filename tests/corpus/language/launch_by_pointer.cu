/* cudaLaunchKernel with an array of addresses of arguments, for a kernel and for a template's instance.

def reference(x):
    return x * 3 - 1, x.double() * 0.5

def inputs():
    return [torch.randn(70)]
*/
#include <torch/extension.h>

__global__ void affine(const float* x, float* y, float scale, float shift, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] * scale + shift;
}

template <typename In, typename Out>
__global__ void halved(const In* x, Out* y, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    y[i] = Out(0.5) * x[i];
  }
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  auto y = torch::empty_like(x), z = torch::empty({70}, x.options().dtype(torch::kFloat64));
  const float* in = x.data_ptr<float>();
  float *out = y.data_ptr<float>(), scale = 3.0f, shift = -1.0f;  //~ "-1.0f" -> "1.0f": WRONG_VALUES
  double* wide = z.data_ptr<double>();
  int n = x.numel();
  void* arguments[] = {&in, &out, &scale, &shift, &n};  //~ "&scale, &shift" -> "&shift, &scale": WRONG_VALUES  //~ "&in, &out" -> "&out, &in": NON_FINITE
  const cudaError_t error = cudaLaunchKernel((void*)affine, dim3(3), dim3(32), arguments, 0, 0);
  TORCH_CHECK(error == cudaSuccess, cudaGetErrorString(error));
  void* others[] = {&in, &wide, &n};
  cudaLaunchKernel((const void*)halved<float, double>, dim3(2), dim3(32), others, 0, nullptr);  //~ "<float, double>" -> "": COMPILE_ERROR @here  //~ "dim3(32), others" -> "dim3(2048), others": BAD_LAUNCH
  return {y, z};
}
