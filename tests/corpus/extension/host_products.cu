/* Products on the host and their sum in a kernel: mm, addmm, bmm and matmul of the same factors.

def reference(a, b, c):
    return 2 * (a @ b) + c, torch.bmm(a.expand(2, -1, -1), b.expand(2, -1, -1))

def inputs():
    return [torch.randn(5, 7), torch.randn(7, 4), torch.randn(5, 4)]
*/
#include <torch/extension.h>

__global__ void add(const float* p, const float* q, float* y, int n) {
  const int i = threadIdx.x;
  if (i < n) y[i] = p[i] + q[i];  //~ "i < n" -> "true": ILLEGAL_MEMORY_ACCESS @here  //~ "+ q[i]" -> "- q[i]": WRONG_VALUES
}

std::vector<at::Tensor> forward(at::Tensor a, at::Tensor b, at::Tensor c) {
  auto p = torch::mm(a, b);  //~ "torch::mm(a, b)" -> "torch::mm(b, a)": RUNTIME_ERROR
  auto q = at::addmm(c, a, b);
  auto out = torch::empty_like(p);
  torch::mm_out(out, a, b);
  TORCH_CHECK(torch::allclose(out, a.matmul(b), 1e-3, 1e-4), "mm_out is not matmul");
  add<<<1, 32>>>(p.data_ptr<float>(), q.data_ptr<float>(), out.data_ptr<float>(), p.numel());
  auto batch = torch::bmm(a.unsqueeze(0).expand({2, -1, -1}), b.unsqueeze(0).repeat({2, 1, 1}));
  return {out, batch};  //~ "out, batch" -> "out, batch[0]": WRONG_SHAPE
}
