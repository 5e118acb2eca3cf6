/* CUDA_KERNEL_LOOP and C10's macros, as in the detection kernels of a library: nearest upsampling.

def reference(x):
    return torch.nn.functional.interpolate(x, scale_factor=2, mode="nearest")

def inputs():
    return [torch.randn(1, 2, 5, 7)]
*/
#include <ATen/ceil_div.h>
#include <ATen/cuda/CUDAContext.h>
#include <c10/macros/Macros.h>
#include <torch/extension.h>

#ifndef CUDA_KERNEL_LOOP
#define CUDA_KERNEL_LOOP(i, n) \
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)
#endif

C10_HOST_DEVICE C10_ALWAYS_INLINE int half_of(int v) { return v / 2; }

C10_LAUNCH_BOUNDS_1(128)
__global__ void upsample(const float* x, float* y, int n, int height, int width) {
  CUDA_KERNEL_LOOP(i, n) {  //~ "(i, n)" -> "(i, n + 1)": ILLEGAL_MEMORY_ACCESS
    const int c = i % (2 * width), r = i / (2 * width) % (2 * height), plane = i / (4 * width * height);
    y[i] = x[(plane * height + half_of(r)) * width + half_of(c)];  //~ "half_of(c)" -> "c % width": WRONG_VALUES
  }
}

at::Tensor forward(const at::Tensor& x) {
  const int height = x.size(2), width = x.size(3);
  auto y = at::empty({x.size(0), x.size(1), 2 * height, 2 * width}, x.options());  //~ "2 * height, 2 * width" -> "2 * width, 2 * height": WRONG_SHAPE
  upsample<<<std::min(at::ceil_div((int)y.numel(), 128), 2), 128, 0, at::cuda::getCurrentCUDAStream()>>>(
      x.data_ptr<float>(), y.data_ptr<float>(), y.numel(), height, width);
  return y;
}
