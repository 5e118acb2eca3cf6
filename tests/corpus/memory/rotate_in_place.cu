/* A block rotates its row within global memory: reads, barrier, writes.

def reference(x):
    return x.roll(5, 1)

def inputs():
    return [torch.randn(4, 51)]
*/
#include <torch/extension.h>

__global__ void rotate(float* data, int width, int by) {
  float* row = data + blockIdx.x * width;  //~ "blockIdx.x" -> "(blockIdx.x / 2)": DATA_RACE
  const int i = threadIdx.x;
  float kept = 0;
  if (i < width) kept = row[i];  //@read  //~ "i < width" -> "true": DATA_RACE
  __syncthreads();  //~ delete: DATA_RACE @read
  if (i < width) row[(i + by) % width] = kept;  //@write  //~ "% width" -> "% (width - 1)": DATA_RACE @here  //~ "(i + by) % width" -> "i + by": DATA_RACE
}

torch::Tensor forward(torch::Tensor x) {
  auto y = x.clone();  //~ "x.clone()" -> "x": INPUT_MUTATED
  rotate<<<y.size(0), 64>>>(y.data_ptr<float>(), y.size(1), 5);
  return y;
}
