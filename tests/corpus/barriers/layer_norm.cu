/* Layer norm of rows with weight and bias: one block a row, mean and variance by trees.

def reference(x, weight, bias):
    return torch.nn.functional.layer_norm(x, x.shape[-1:], weight, bias)

def inputs():
    return [torch.randn(2, 3, 83), torch.randn(83), torch.randn(83)]
*/
#include <torch/extension.h>

#define BLOCK 32 * 2

__device__ float block_sum(float value, float* scratch) {
  scratch[threadIdx.x] = value;
  __syncthreads();  //~ delete: DATA_RACE
  for (int step = blockDim.x / 2; step; step >>= 1) {
    if (threadIdx.x < step) scratch[threadIdx.x] += scratch[threadIdx.x + step];
    __syncthreads();  //~ delete: DATA_RACE
  }
  const float sum = scratch[0];  //@leave
  __syncthreads();  //~ delete: DATA_RACE @leave
  return sum;
}

__global__ void layer_norm(const float* x, const float* weight, const float* bias, float* y,
                           int hidden, float epsilon) {
  __shared__ float scratch[BLOCK];
  x += (size_t)blockIdx.x * hidden;
  y += (size_t)blockIdx.x * hidden;
  float sum = 0;  //~ "= 0" -> "= 1": WRONG_VALUES
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) sum += x[i];
  const float mean = block_sum(sum, scratch) / hidden;  //~ "/ hidden" -> "/ blockDim.x": WRONG_VALUES
  float squares = 0;
  for (int i = threadIdx.x; i < hidden; i += blockDim.x) squares += (x[i] - mean) * (x[i] - mean);
  const float scale = rsqrtf(block_sum(squares, scratch) / hidden + epsilon);
  for (int i = threadIdx.x; i < hidden; i += blockDim.x)  //~ "i < hidden" -> "i < 2 * BLOCK": ILLEGAL_MEMORY_ACCESS @write
    y[i] = (x[i] - mean) * scale * weight[i] + bias[i];  //@write  //~ "weight[i]" -> "weight[blockIdx.x]": WRONG_VALUES
}

torch::Tensor forward(torch::Tensor x, torch::Tensor weight, torch::Tensor bias) {
  const int hidden = x.size(-1);
  auto y = torch::empty_like(x);
  layer_norm<<<x.numel() / hidden, BLOCK>>>(x.data_ptr<float>(), weight.data_ptr<float>(),
                                            bias.data_ptr<float>(), y.data_ptr<float>(), hidden, 1e-5f);
  return y;
}
