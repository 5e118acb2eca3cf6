/* Comparisons, bytes and wide integers: one output each of bool, uint8, int16, int32 and int64.

def reference(x, k):
    wide = k.long() * 3_000_000_000
    return x > 0, (x * 100).clamp(0, 255).byte(), (k - 7).short(), k // 3, wide

def inputs():
    return [torch.rand(53) * 2 - 1, torch.randint(0, 1000, (53,), dtype=torch.int32)]
*/
#include <torch/extension.h>

__global__ void convert(const float* x, const int* k, bool* positive, uint8_t* bytes, int16_t* shorts,
                        int* thirds, int64_t* wide, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;  //~ delete: ILLEGAL_MEMORY_ACCESS
  positive[i] = x[i] > 0;  //~ "> 0" -> "< 0": WRONG_VALUES
  bytes[i] = static_cast<uint8_t>(fminf(fmaxf(x[i] * 100.0f, 0.0f), 255.0f));  //~ "bytes[i]" -> "bytes[i + 1]": ILLEGAL_MEMORY_ACCESS @here  //~ "bytes[i]" -> "reinterpret_cast<int*>(bytes)[i]": ILLEGAL_MEMORY_ACCESS @here
  shorts[i] = k[i] - 7;
  thirds[i] = k[i] / 3;  //~ "k[i] / 3" -> "k[i] / 3.5f": WRONG_VALUES
  wide[i] = k[i] * int64_t(3000000000);  //~ "int64_t(3000000000)" -> "(int)3000000000": WRONG_VALUES
}

std::vector<torch::Tensor> forward(torch::Tensor x, torch::Tensor k) {
  const int n = x.numel();
  auto like = [&](torch::ScalarType type) { return torch::empty({n}, x.options().dtype(type)); };
  auto positive = like(torch::kBool), bytes = like(torch::kUInt8), shorts = like(torch::kInt16);
  auto thirds = like(torch::kInt32), wide = like(torch::kInt64);  //~ "like(torch::kInt32), wide" -> "like(torch::kFloat32), wide": RUNTIME_ERROR
  convert<<<2, 32>>>(x.data_ptr<float>(), k.data_ptr<int>(), positive.data_ptr<bool>(),
                     bytes.data_ptr<uint8_t>(), shorts.data_ptr<int16_t>(), thirds.data_ptr<int>(),
                     wide.data_ptr<int64_t>(), n);
  return {positive, bytes, shorts, thirds, wide};  //~ "bytes, shorts" -> "bytes.to(torch::kInt32), shorts": WRONG_DTYPE  //~ "positive, bytes, " -> "positive, ": WRONG_SHAPE
}
