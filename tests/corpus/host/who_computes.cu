/* A forward whose kernel computes, with torch's own operations around it.

def reference(x):
    return torch.relu(x).sum(1) / x.shape[1]

def inputs():
    return [torch.randn(22, 18)]
*/
#include <torch/extension.h>
#include <algorithm>

__global__ void relu(const float* x, float* y, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) y[i] = fmaxf(x[i], 0.0f);  //~ "0.0f" -> "-1.0f": WRONG_VALUES
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  relu<<<1, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel());  //~ delete: NO_KERNEL_LAUNCHED  //~ "relu<<<1, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel())" -> "y.copy_(x.clamp_min(0))": NO_KERNEL_LAUNCHED  //~ "relu<<<1, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel())" -> "y = x.relu()": NO_KERNEL_LAUNCHED  //~ "relu<<<1, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel())" -> "auto h = x.cpu(); for (int i = 0; i < h.numel(); ++i) h.data_ptr<float>()[i] = std::max(h.data_ptr<float>()[i], 0.0f); y = h.cuda()": NO_KERNEL_LAUNCHED  //~ "relu<<<1, 128>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.numel())" -> "cudaMemset(y.data_ptr<float>(), 0, y.nbytes())": NO_KERNEL_LAUNCHED
  return y.sum(1) / x.size(1);  //~ " / x.size(1)" -> "": WRONG_VALUES  //~ "y.sum(1)" -> "y.sum(0)": WRONG_SHAPE
}
