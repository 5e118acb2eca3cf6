/* Vector routines: y = x / |x| + a z, its dot product with z, and where its largest element is.

def reference(x, z):
    y = x / x.norm() + 0.25 * z
    return y, (y * z).sum().reshape(1), y.abs().argmax().reshape(1).int()

def inputs():
    return [torch.randn(301), torch.randn(301)]
*/
#include <cublas_v2.h>
#include <torch/extension.h>
#include <vector>

static void check(cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error(what);
}

__global__ void from_one(int* index) { *index -= 1; }

std::vector<torch::Tensor> forward(torch::Tensor x, torch::Tensor z) {
  cublasHandle_t h;
  check(cublasCreate(&h), "create");
  const int n = x.numel();
  auto y = torch::empty_like(x), dot = torch::empty({1}, x.options());
  auto index = torch::empty({1}, x.options().dtype(torch::kInt32));
  float norm = 0;
  check(cublasScopy(h, n, x.data_ptr<float>(), 1, y.data_ptr<float>(), 1), "copy");  //~ delete: NON_FINITE  //~ "y.data_ptr<float>(), 1" -> "y.data_ptr<float>(), 2": ILLEGAL_MEMORY_ACCESS @here
  check(cublasSnrm2(h, n, y.data_ptr<float>(), 1, &norm), "norm");  //~ "Snrm2" -> "Sasum": WRONG_VALUES  //~ "&norm" -> "dot.data_ptr<float>()": ILLEGAL_MEMORY_ACCESS @here
  const float inverse = 1 / norm, quarter = 0.25f;
  check(cublasSscal(h, n, &inverse, y.data_ptr<float>(), 1), "scale");  //~ "y.data" -> "x.data": WRONG_VALUES  //~ "h, n," -> "h, n - 1,": WRONG_VALUES
  check(cublasSaxpy(h, n, &quarter, z.data_ptr<float>(), 1, y.data_ptr<float>(), 1), "axpy");  //~ "&quarter" -> "nullptr": RUNTIME_ERROR
  cublasSetPointerMode(h, CUBLAS_POINTER_MODE_DEVICE);  //~ delete: ILLEGAL_MEMORY_ACCESS @dot
  check(cublasSdot(h, n, y.data_ptr<float>(), 1, z.data_ptr<float>(), 1, dot.data_ptr<float>()), "dot");  //@dot  //~ "dot.data_ptr<float>())" -> "&norm)": ILLEGAL_MEMORY_ACCESS @here
  check(cublasIsamax(h, n, y.data_ptr<float>(), 1, index.data_ptr<int>()), "amax");
  from_one<<<1, 1>>>(index.data_ptr<int>());  //~ delete: WRONG_VALUES
  cublasDestroy(h);
  return {y, dot, index};
}
