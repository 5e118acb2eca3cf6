/* Lambdas inside a kernel: captures by value and reference, generic ones, handed to templates.

def reference(x):
    window = torch.stack([x.roll(s) for s in (-1, 0, 1)]).sum(0)
    return window, x.abs().sum().reshape(1), torch.stack([x, x + 1], 1).flatten()

def inputs():
    return [torch.randn(50)]
*/
#include <torch/extension.h>

template <typename F>
__device__ void for_each_near(int i, int n, F&& f) {
  for (int s = -1; s <= 1; ++s) f((i + s + n) % n);  //~ "+ n) % n" -> ") % n": ILLEGAL_MEMORY_ACCESS
}

__global__ void windows(const float* x, float* sums, float* total, float* pairs, int n) {
  __shared__ float block_total;
  const int i = threadIdx.x;
  if (i == 0) block_total = 0.0f;
  __syncthreads();  //~ delete: DATA_RACE
  if (i < n) {
    float sum = 0.0f;
    for_each_near(i, n, [&](int k) { sum += x[k]; });  //~ "[&]" -> "[=]": COMPILE_ERROR @here
    sums[i] = sum;
    auto size = [](auto v) { return v < decltype(v)(0) ? -v : v; };  //~ "-v : v" -> "v : -v": WRONG_VALUES
    auto put = [pairs, i, x, offset = 0](float by) mutable { pairs[2 * i + offset++] = x[i] + by; };  //~ " mutable" -> "": COMPILE_ERROR @here
    put(0.0f);
    put(1.0f);  //~ delete: NON_FINITE
    atomicAdd(&block_total, size(x[i]));  //~ "atomicAdd(&block_total, size(x[i]))" -> "block_total += size(x[i])": DATA_RACE @here
  }
  __syncthreads();  //~ delete: WRONG_VALUES
  if (i == 0) *total = block_total;
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  const int n = x.numel();
  auto sums = torch::empty_like(x), total = torch::empty({1}, x.options());
  auto pairs = torch::empty({2 * n}, x.options());
  auto launch = [&](int threads) {
    windows<<<1, threads>>>(x.data_ptr<float>(), sums.data_ptr<float>(), total.data_ptr<float>(),
                            pairs.data_ptr<float>(), n);
  };
  launch(64);
  return {sums, total, pairs};
}
