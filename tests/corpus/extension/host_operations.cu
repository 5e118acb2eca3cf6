/* A chain of torch's operations on the host, joined by cat and copied by a kernel.

def reference(x, w):
    s = x.t().contiguous().sum(-1, keepdim=True) + w.t().mean(0).unsqueeze(0)
    m = x @ w
    z = torch.full_like(m, 0.5) * m.abs().max()
    joined = torch.cat([z.flatten(), s.flatten(), torch.full((2,), 3.0)])
    return joined[1:-1]

def inputs():
    return [torch.randn(5, 37), torch.randn(37, 3)]
*/
#include <torch/extension.h>

__global__ void copy_kernel(const float* a, float* b, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) b[i] = a[i];  //~ "i < n" -> "i <= n": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(torch::Tensor x, torch::Tensor w) {
  auto t = x.transpose(0, 1).contiguous();  //~ "transpose(0, 1)" -> "transpose(0, 2)": RUNTIME_ERROR
  auto p = w.permute({1, 0}).clone();  //~ "permute({1, 0})" -> "permute({0, 1})": WRONG_SHAPE
  auto s = t.sum(-1, true) + p.mean({0}).unsqueeze(0);
  auto m = torch::matmul(x, w).to(torch::kFloat32);
  auto z = torch::zeros({x.size(0), w.size(1)}, x.options());
  z.copy_(m);
  z.fill_(0.5).mul_(m.abs().max().item<float>());
  auto joined = torch::cat({z.flatten(), s.flatten(), torch::full({2}, 3.0, x.options())}, 0);
  auto out = torch::empty({joined.numel()}, torch::dtype(torch::kFloat).device(torch::kCUDA));
  copy_kernel<<<2, 32>>>(joined.data_ptr<float>(), out.data_ptr<float>(), joined.numel());
  return out.slice(0, 0, out.size(0) - 1).narrow(0, 1, out.size(0) - 2);
}
