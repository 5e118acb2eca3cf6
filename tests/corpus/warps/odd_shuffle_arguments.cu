/* Shuffles whose lane or distance is beyond the warp: the source wraps, or the lane keeps its own.

def reference(x):
    rows = x.view(-1, 32)
    rotated = rows.roll(-5, 1)
    shifted = torch.cat([rows[:, 20:], rows[:, 20:32]], 1)[:, :12]
    kept = torch.cat([shifted, rows[:, 12:]], 1)
    return rotated.reshape(-1), kept.reshape(-1)

def inputs():
    return [torch.randint(0, 1000, (64,), dtype=torch.int64)]
*/
#include <torch/extension.h>

#include <tuple>

__global__ void move(const long long* x, long long* rotated, long long* kept) {
  const int i = threadIdx.x;
  const long long v = x[i];
  rotated[i] = __shfl_sync(~0u, v, i + 5);  // the lane counts modulo 32  //~ "i + 5" -> "(i + 5) & 15": WRONG_VALUES
  kept[i] = __shfl_down_sync(~0u, v, 20);  //~ "20" -> "20, 8": WRONG_VALUES  //~ "down" -> "up": WRONG_VALUES
}

std::tuple<torch::Tensor, torch::Tensor> forward(torch::Tensor x) {
  auto rotated = torch::empty_like(x), kept = torch::empty_like(x);
  using integer = long long;
  move<<<1, x.numel()>>>(reinterpret_cast<integer*>(x.data_ptr<int64_t>()),
                         reinterpret_cast<integer*>(rotated.data_ptr<int64_t>()),
                         reinterpret_cast<integer*>(kept.data_ptr<int64_t>()));
  return {rotated, kept};
}
