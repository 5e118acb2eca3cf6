/* The forms of TORCH_CHECK, and what they raise; all hold here.

def reference(x, k):
    return x[:, :3] * 2

def inputs():
    return [torch.randn(8, 5), 3]
*/
#include <torch/extension.h>

#define CHECK_FLOAT(x) TORCH_CHECK((x).scalar_type() == torch::kFloat, #x " must be float32, is ", (x).dtype())

__global__ void head(const float* x, float* y, int cols, int k) {
  y[blockIdx.x * k + threadIdx.x] = 2 * x[blockIdx.x * cols + threadIdx.x];  //~ "* k +" -> "* cols +": ILLEGAL_MEMORY_ACCESS @here
}

torch::Tensor forward(torch::Tensor x, int64_t k) {
  CHECK_FLOAT(x);
  TORCH_CHECK(x.dim() == 2);  //~ "== 2" -> "!= 2": RUNTIME_ERROR
  TORCH_CHECK_LE(k, x.size(1));  //~ "k, x.size(1)" -> "x.size(1), k": RUNTIME_ERROR
  TORCH_CHECK_VALUE(k > 0, "k is ", k);  //~ "k > 0" -> "k > 3": RUNTIME_ERROR
  TORCH_INTERNAL_ASSERT(x.defined(), "no tensor");
  TORCH_WARN_ONCE("this kernel is an example");
  AT_ASSERTM(x.is_contiguous(), "x must be contiguous");
  auto y = torch::empty({x.size(0), k}, x.options());
  head<<<x.size(0), k>>>(x.data_ptr<float>(), y.data_ptr<float>(), x.size(1), k);
  return y;
}
