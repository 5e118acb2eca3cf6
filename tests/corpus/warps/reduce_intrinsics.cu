/* Sum, minimum, maximum, and, or, exclusive or of rows of integers by the warp reductions of sm_80.

def reference(x):
    rows = []
    for row in x.tolist():
        bits = [v & 0xFFFFFFFF for v in row]
        folded = [sum(row), min(row), max(row), bits[0], bits[0], bits[0]]
        for b in bits[1:]:
            folded[3:] = folded[3] & b, folded[4] | b, folded[5] ^ b
        rows.append([(v + 2**31) % 2**32 - 2**31 for v in folded])
    return torch.tensor(rows, dtype=torch.int32)

def inputs():
    return [torch.randint(-(2**31), 2**31 - 1, (5, 64), dtype=torch.int32)]
*/
#include <torch/extension.h>


__global__ void fold_rows(const int* x, int* y) {
  const unsigned all = 0xffffffffu;
  const int* row = x + 64 * blockIdx.x;
  const int a = row[threadIdx.x], b = row[threadIdx.x + 32];  //~ "+ 32" -> "+ 64": ILLEGAL_MEMORY_ACCESS @here
  const unsigned sum = __reduce_add_sync(all, static_cast<unsigned>(a) + static_cast<unsigned>(b));
  const int low = __reduce_min_sync(all, min(a, b));  //~ "min(a, b)" -> "static_cast<unsigned>(min(a, b))": WRONG_VALUES
  const int high = __reduce_max_sync(all, max(a, b));  //~ "max(a, b)" -> "a": WRONG_VALUES
  const unsigned both = __reduce_and_sync(all, a & b);
  const unsigned either = __reduce_or_sync(all, a | b);  //~ "all" -> "all >> 1": DIVERGENT_BARRIER @here
  const unsigned odd = __reduce_xor_sync(all, a ^ b);
  const int results[6] = {(int)sum, low, high, (int)both, (int)either, (int)odd};
  if (threadIdx.x < 6) y[6 * blockIdx.x + threadIdx.x] = results[threadIdx.x];
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty({x.size(0), 6}, x.options());
  fold_rows<<<x.size(0), 32>>>(x.data_ptr<int>(), y.data_ptr<int>());
  return y;
}
