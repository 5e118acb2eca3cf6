/* Running sums along rows of at most 32 columns, in doubles: a Hillis-Steele scan in a warp.

def reference(x):
    return x.cumsum(1)

def inputs():
    return [torch.randn(7, 29, dtype=torch.float64)]
*/
#include <torch/extension.h>

// One row a block, one partial warp a row: the block has as many threads as columns.
__global__ void scan_row(const double* x, double* y) {
  const unsigned lane = threadIdx.x, n = blockDim.x;
  double total = x[blockIdx.x * n + lane];
  for (unsigned step = 1; step < n; step *= 2) {  //~ "step = 1" -> "step = 2": WRONG_VALUES
    const double before = __shfl_up_sync(0xffffffffu, total, step);  //~ "step)" -> "step, 16)": WRONG_VALUES
    if (lane >= step) total += before;  //~ "if (lane >= step) " -> "": WRONG_VALUES
  }
  y[blockIdx.x * n + lane] = total;
}

torch::Tensor forward(torch::Tensor x) {
  TORCH_CHECK(x.size(1) <= 32, "rows of at most 32 columns");
  auto y = torch::empty_like(x);
  scan_row<<<x.size(0), x.size(1)>>>(x.data_ptr<double>(), y.data_ptr<double>());
  return y;
}
