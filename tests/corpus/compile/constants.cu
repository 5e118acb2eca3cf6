/* A polynomial whose coefficients lie in constant memory, which no kernel may write.

def reference(x):
    return 0.5 + x * (2.0 - 0.25 * x)

def inputs():
    return [torch.rand(7, 19)]
*/
#include <torch/extension.h>

__constant__ float coefficients[3];
__constant__ float fixed = 0.25f;  //~ "0.25f" -> "sqrtf(0.0625f)": COMPILE_ERROR @here  //~ delete: COMPILE_ERROR @line

__global__ void polynomial(const float* x, float* y, const int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;  //~ "const int i" -> "__constant__ int j; const int i": COMPILE_ERROR @here
  if (i >= n) return;
  const float v = x[i];
  y[i] = coefficients[0] + v * (coefficients[1] - fixed * v);  //@line  //~ "y[i] =" -> "x[i] =": COMPILE_ERROR @here  //~ "y[i] =" -> "v =": COMPILE_ERROR @here  //~ "y[i] =" -> "y[n] = n = ": COMPILE_ERROR @here  //~ "y[i] =" -> "fixed =": COMPILE_ERROR @here
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  const float values[3] = {0.5f, 2.0f, 0.0f};
  cudaMemcpyToSymbol(coefficients, values, sizeof(values));
  const int n = x.numel();
  polynomial<<<(n + 63) / 64, 64>>>(x.data_ptr<float>(), y.data_ptr<float>(), n);
  return y;
}
