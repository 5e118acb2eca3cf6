/* A 3x3 convolution of one channel with zeros around it; tile and halo in shared memory.

def reference(image, weight):
    return torch.nn.functional.conv2d(image[:, None], weight[None, None], padding=1)[:, 0]

def inputs():
    return [torch.randn(2, 13, 22), torch.randn(3, 3)]
*/
#include <torch/extension.h>

namespace {
constexpr int R = 1, TX = 16, TY = 8, WIDE = TX + 2 * R, HIGH = TY + 2 * R;

__global__ void conv3x3(const float* image, const float* weight, float* out, int h, int w) {
  __shared__ float tile[HIGH][WIDE];
  __shared__ float k[9];
  const int x0 = blockIdx.x * TX - R, y0 = blockIdx.y * TY - R;
  image += blockIdx.z * h * w;
  const int tid = threadIdx.y * TX + threadIdx.x;
  if (tid < 9) k[tid] = weight[tid];  //~ "tid < 9" -> "tid < 8": NON_FINITE  //~ "tid < 9" -> "tid < 10": ILLEGAL_MEMORY_ACCESS @here
  for (int i = tid; i < HIGH * WIDE; i += TX * TY) {  //~ "i < HIGH * WIDE" -> "i < TX * TY": NON_FINITE
    const int ty = i / WIDE, tx = i % WIDE, y = y0 + ty, x = x0 + tx;
    const bool inside = y >= 0 && y < h && x >= 0 && x < w;  //~ "x >= 0 && x < w" -> "true": ILLEGAL_MEMORY_ACCESS @load  //~ "y >= 0 && " -> "": ILLEGAL_MEMORY_ACCESS @load
    tile[ty][tx] = inside ? image[y * w + x] : 0.0f;  //@load
  }
  __syncthreads();  //~ delete: DATA_RACE
  const int x = x0 + R + threadIdx.x, y = y0 + R + threadIdx.y;
  if (x >= w || y >= h) return;  //~ "x >= w || y >= h" -> "x >= w": DATA_RACE @store
  float sum = 0.0f;
  for (int dy = 0; dy < 3; ++dy)
    for (int dx = 0; dx < 3; ++dx) sum += tile[threadIdx.y + dy][threadIdx.x + dx] * k[dy * 3 + dx];  //~ "k[dy * 3 + dx]" -> "k[dx * 3 + dy]": WRONG_VALUES
  out[blockIdx.z * h * w + y * w + x] = sum;  //@store
}
}  // namespace

torch::Tensor forward(torch::Tensor image, torch::Tensor weight) {
  const int n = image.size(0), h = image.size(1), w = image.size(2);
  auto out = torch::empty_like(image);
  const dim3 grid((w + TX - 1) / TX, (h + TY - 1) / TY, n);
  conv3x3<<<grid, dim3(TX, TY)>>>(image.data_ptr<float>(), weight.data_ptr<float>(),
                                  out.data_ptr<float>(), h, w);
  return out;
}
