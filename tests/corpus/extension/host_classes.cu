/* Host helpers as classes: a launch plan, a workspace with a destructor, a template over it.

def reference(x):
    return x.cumsum(0)

def inputs():
    return [torch.randn(100)]
*/
#include <c10/cuda/CUDAException.h>
#include <torch/extension.h>

#include <memory>
#include <stdexcept>

class Plan {
 public:
  explicit Plan(int64_t n, int threads = 32) : n_(n), threads_(threads) {
    if (n <= 0) throw std::invalid_argument("nothing to do");  //~ "n <= 0" -> "n >= 0": RUNTIME_ERROR
  }
  int blocks() const { return static_cast<int>((n_ + threads_ - 1) / threads_); }
  int threads() const { return threads_; }

 private:
  int64_t n_;
  int threads_;
};

template <typename T>
struct Workspace {
  explicit Workspace(int64_t count) { C10_CUDA_CHECK(cudaMalloc(&data, count * sizeof(T))); }
  Workspace(const Workspace&) = delete;
  ~Workspace() { cudaFree(data); }
  T* data = nullptr;
};

__global__ void block_sums(const float* x, float* sums, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x; i < min(n, (int)((blockIdx.x + 1) * blockDim.x)); ++i) sum += x[i];
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
__global__ void scan(const float* x, const float* sums, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int b = 0; b < blockIdx.x; ++b) sum += sums[b];  //~ "b < blockIdx.x" -> "b <= blockIdx.x": WRONG_VALUES
  for (int k = blockIdx.x * blockDim.x; k <= i; ++k) sum += x[k];
  y[i] = sum;
}

torch::Tensor forward(torch::Tensor x) {
  const Plan plan(x.numel());
  auto sums = std::make_unique<Workspace<float>>(plan.blocks());  //~ "plan.blocks()" -> "plan.blocks() - 1": ILLEGAL_MEMORY_ACCESS
  auto y = torch::empty_like(x);
  block_sums<<<plan.blocks(), plan.threads()>>>(x.data_ptr<float>(), sums->data, x.numel());
  scan<<<plan.blocks(), plan.threads()>>>(x.data_ptr<float>(), sums->data, y.data_ptr<float>(), x.numel());
  return y;
}
