/* Attention of 16 queries over 32 keys, a head each block: scores and values by tensor cores,
the softmax between them by half a warp, a row each lane.

def reference(q, k, v):
    p = ((q.float() @ k.float().transpose(-1, -2)) * 0.25).softmax(-1)
    return p.half().float() @ v.float()

def inputs():
    return [torch.randn(3, 16, 16).half(), torch.randn(3, 32, 16).half(), torch.randn(3, 32, 16).half()]
*/
#include <mma.h>
#include <torch/extension.h>

using namespace nvcuda;
using FragA = wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major>;
using FragAcc = wmma::fragment<wmma::accumulator, 16, 16, 16, float>;

__global__ void attend(const half* q, const half* k, const half* v, float* out) {
  __shared__ __align__(256) float scores[16][32];
  __shared__ __align__(256) half weights[16][32];
  const int head = blockIdx.x, lane = threadIdx.x;
  FragA fq;
  wmma::load_matrix_sync(fq, q + head * 256, 16);
  for (int key = 0; key < 32; key += 16) {
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fk;
    FragAcc s;
    wmma::fill_fragment(s, 0.f);  //~ "0.f" -> "0.1f": PASSED
    wmma::load_matrix_sync(fk, k + head * 512 + key * 16, 16);
    wmma::mma_sync(s, fq, fk, s);
    for (int i = 0; i < s.num_elements; ++i) s.x[i] *= 0.25f;
    wmma::store_matrix_sync(&scores[0][key], s, 32, wmma::mem_row_major);
  }
  __syncwarp();  //~ delete: DATA_RACE @score
  if (lane < 16) {  //~ "lane < 16" -> "lane < 15": NON_FINITE
    float best = -INFINITY, total = 0;
    for (int j = 0; j < 32; ++j) best = fmaxf(best, scores[lane][j]);  //@score
    for (int j = 0; j < 32; ++j) total += __expf(scores[lane][j] - best);
    for (int j = 0; j < 32; ++j) weights[lane][j] = __float2half(__expf(scores[lane][j] - best) / total);
  } else {
    if (lane == 31 && head > 2) return;  //~ "head > 2" -> "head > 1": DIVERGENT_BARRIER
  }
  __syncwarp();  //~ delete: DATA_RACE @weights
  FragAcc o;
  wmma::fill_fragment(o, 0.f);
  for (int key = 0; key < 32; key += 16) {
    FragA fw;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fv;
    wmma::load_matrix_sync(fw, &weights[0][key], 32);  //@weights  //~ "weights[0][key]" -> "weights[key][0]": ILLEGAL_MEMORY_ACCESS @here
    wmma::load_matrix_sync(fv, v + head * 512 + key * 16, 16);
    wmma::mma_sync(o, fw, fv, o);
  }
  wmma::store_matrix_sync(out + head * 256, o, 16, wmma::mem_row_major);
}

torch::Tensor forward(torch::Tensor q, torch::Tensor k, torch::Tensor v) {
  auto out = torch::empty(q.sizes(), q.options().dtype(torch::kFloat));
  attend<<<q.size(0), 32>>>(reinterpret_cast<const half*>(q.data_ptr<at::Half>()),
                            reinterpret_cast<const half*>(k.data_ptr<at::Half>()),
                            reinterpret_cast<const half*>(v.data_ptr<at::Half>()),
                            out.data_ptr<float>());
  return out;
}
