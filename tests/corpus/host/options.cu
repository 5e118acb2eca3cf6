/* Three outputs whose options name the device in three ways.

def reference(x):
    return x.sum(1), x.argmax(1).int(), x > 0

def inputs():
    return [torch.randn(12, 21)]
*/
#include <torch/extension.h>
#include <vector>

__global__ void summarise(const float* x, float* sums, int* best, bool* positive, int cols) {
  const int r = threadIdx.x;
  float sum = 0;
  int where = 0;
  for (int c = 0; c < cols; ++c) {
    const float v = x[r * cols + c];
    sum += v;
    if (v > x[r * cols + where]) where = c;
    positive[r * cols + c] = v > 0;  //@positive
  }
  sums[r] = sum;  //@sums
  best[r] = where;  //@best
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  const int64_t rows = x.size(0), cols = x.size(1);
  auto options = torch::TensorOptions().dtype(torch::kFloat32).device(torch::kCUDA, 0);  //~ "device(torch::kCUDA, 0)" -> "device(torch::kCPU)": ILLEGAL_MEMORY_ACCESS @sums gpu: PASSED
  auto sums = torch::empty({rows}, options);
  auto best = torch::empty({rows}, x.options().device(torch::kCUDA).dtype(torch::kInt32));  //~ ".device(torch::kCUDA)" -> ".device(torch::kCPU)": ILLEGAL_MEMORY_ACCESS @best gpu: PASSED  //~ "kInt32" -> "kInt64": RUNTIME_ERROR
  const torch::Device device(torch::kCUDA, 0);  //~ "(torch::kCUDA, 0)" -> "(torch::kCPU)": ILLEGAL_MEMORY_ACCESS @positive gpu: PASSED
  auto positive = torch::empty({rows, cols}, torch::dtype(torch::kBool).device(device));  //~ "torch::dtype(torch::kBool).device(device)" -> "torch::kBool": ILLEGAL_MEMORY_ACCESS @positive gpu: PASSED
  summarise<<<1, rows>>>(x.data_ptr<float>(), sums.data_ptr<float>(), best.data_ptr<int>(),
                         positive.data_ptr<bool>(), cols);
  return {sums, best, positive};
}
