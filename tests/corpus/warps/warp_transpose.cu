/* 16 x 16 tiles transposed through shared memory by one warp each, with __syncwarp alone.

def reference(x):
    return x.transpose(1, 2).contiguous()

def inputs():
    return [torch.randn(5, 16, 16)]
*/
#include <torch/extension.h>

__global__ void transpose_tiles(const float* in, float* out, int tiles) {
  __shared__ float stage[2][16][17];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int tile = blockIdx.x * 2 + warp;
  if (tile >= tiles) return;
  float(*s)[17] = stage[warp];  //~ "[warp]" -> "[0]": DATA_RACE
  for (int i = lane; i < 256; i += 32) s[i / 16][i % 16] = in[tile * 256 + i];  //@write
  __syncwarp();  //~ delete: DATA_RACE  //~ "__syncwarp()" -> "__ballot_sync(0xffffffffu, 1)": DATA_RACE gpu: PASSED
  for (int i = lane; i < 256; i += 32) out[tile * 256 + i] = s[i % 16][i / 16];  //~ "s[i % 16][i / 16]" -> "s[i / 16][i % 16]": WRONG_VALUES
}

torch::Tensor forward(torch::Tensor x) {
  torch::Tensor out = torch::empty_like(x);
  const int tiles = x.size(0);
  transpose_tiles<<<(tiles + 1) / 2, 64>>>(x.data_ptr<float>(), out.data_ptr<float>(), tiles);
  return out;
}
