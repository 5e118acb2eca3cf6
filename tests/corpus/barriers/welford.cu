/* Mean and unbiased variance of each channel, Welford's triples merged over a tree.

def reference(x):
    return x.mean((0, 2)), x.var((0, 2))

def inputs():
    return [torch.randn(4, 5, 39) + 3]
*/
#include <torch/extension.h>

#include <vector>

namespace {

struct Moments {
  float mean, m2, count;
  __device__ void add(float x) {
    count += 1;
    const float delta = x - mean;
    mean += delta / count;
    m2 += delta * (x - mean);  //~ "(x - mean)" -> "delta": WRONG_VALUES
  }
  __device__ void merge(const Moments& o) {
    if (o.count == 0) return;  // both may be empty
    const float total = count + o.count, delta = o.mean - mean;
    mean += delta * o.count / total;
    m2 += o.m2 + delta * delta * count * o.count / total;
    count = total;  //~ delete: WRONG_VALUES
  }
};

__global__ void channel_moments(const float* x, float* mean, float* variance, int batch, int channels,
                                int length) {
  __shared__ Moments all[8][16];
  const int channel = blockIdx.x, t = threadIdx.y * blockDim.x + threadIdx.x;
  Moments* flat = all[0];
  Moments mine = {0, 0, 0};  //~ " = {0, 0, 0}" -> "": NON_FINITE
  for (int b = threadIdx.y; b < batch; b += blockDim.y)
    for (int i = threadIdx.x; i < length; i += blockDim.x)  //~ "i < length" -> "i < length + 16": ILLEGAL_MEMORY_ACCESS @read
      mine.add(x[(b * channels + channel) * length + i]);  //@read
  flat[t] = mine;
  for (int half = 64; half > 0; half /= 2) {
    __syncthreads();  //~ delete: DATA_RACE
    if (t < half) flat[t].merge(flat[t + half]);
  }
  if (t == 0) {
    mean[channel] = flat[0].mean;
    variance[channel] = flat[0].m2 / (flat[0].count - 1);  //~ "count - 1" -> "count": WRONG_VALUES
  }
}

}  // namespace

std::vector<torch::Tensor> forward(torch::Tensor x) {
  const int channels = x.size(1);
  auto mean = torch::empty({channels}, x.options()), variance = torch::empty_like(mean);
  channel_moments<<<channels, dim3(16, 8)>>>(x.data_ptr<float>(), mean.data_ptr<float>(),
                                             variance.data_ptr<float>(), x.size(0), channels, x.size(2));
  return {mean, variance};
}
