/* The Gram matrix x^T x and its product with a vector, in double precision, with a handle
that the extension makes and destroys.

def reference(x, v):
    g = x.t() @ x
    return g, g @ v

def inputs():
    return [torch.randn(40, 13).double(), torch.randn(13).double()]
*/
#include <cublas_v2.h>
#include <torch/extension.h>
#include <tuple>

#define BLAS(call) TORCH_CHECK((call) == CUBLAS_STATUS_SUCCESS, #call " failed")

class Handle {
 public:
  Handle() { BLAS(cublasCreate(&handle_)); }  //~ "BLAS(cublasCreate(&handle_));" -> "": RUNTIME_ERROR
  ~Handle() { cublasDestroy(handle_); }
  operator cublasHandle_t() const { return handle_; }

 private:
  cublasHandle_t handle_ = nullptr;
};

std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor x, torch::Tensor v) {
  Handle blas;
  const int rows = x.size(0), n = x.size(1);
  auto g = torch::empty({n, n}, x.options()), gv = torch::empty_like(v);
  const double alpha = 1.0, beta = 0.0;
  // In memory x is x^T by columns: op(A) = x^T, op(B) = x.
  BLAS(cublasDgemm(blas, CUBLAS_OP_N, CUBLAS_OP_T, n, n, rows, &alpha, x.data_ptr<double>(), n,  //~ "cublasDgemm" -> "cublasSgemm": COMPILE_ERROR  //~ "n, n, rows" -> "n, n, rows + 1": ILLEGAL_MEMORY_ACCESS
                   x.data_ptr<double>(), n, &beta, g.data_ptr<double>(), n));
  BLAS(cublasDgemv(blas, CUBLAS_OP_N, n, n, &alpha, g.data_ptr<double>(), n, v.data_ptr<double>(), 1,  //~ "v.data_ptr<double>(), 1" -> "v.data_ptr<double>(), 2": ILLEGAL_MEMORY_ACCESS  //~ "g.data_ptr" -> "x.data_ptr": WRONG_VALUES
                   &beta, gv.data_ptr<double>(), 1));  //~ "gv.data_ptr<double>(), 1" -> "v.data_ptr<double>(), 1": DATA_RACE  //~ "), 1)" -> "), 0)": RUNTIME_ERROR
  return {g, gv};
}
