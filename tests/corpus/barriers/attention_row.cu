/* Attention of one query row a block: scores, softmax and weighted sum through shared memory.

def reference(q, k, v):
    return (q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5).softmax(-1) @ v

def inputs():
    return [torch.randn(2, 9, 24), torch.randn(2, 41, 24), torch.randn(2, 41, 24)]
*/
#include <torch/extension.h>

constexpr int kThreads = 32 + 16;

__global__ void attend(const float* q, const float* k, const float* v, float* out, int queries,
                       int keys, int width) {
  extern __shared__ float shared[];
  float* query = shared;           // width
  float* scores = shared + width;  // keys
  const int batch = blockIdx.y;
  q += (batch * queries + blockIdx.x) * width;
  out += (batch * queries + blockIdx.x) * width;
  k += batch * keys * width;
  v += batch * keys * width;  //~ delete: WRONG_VALUES
  for (int d = threadIdx.x; d < width; d += kThreads) query[d] = q[d];  //@query
  __syncthreads();  //~ delete: DATA_RACE
  for (int j = threadIdx.x; j < keys; j += kThreads) {  //~ "j < keys" -> "j < kThreads": ILLEGAL_MEMORY_ACCESS
    float dot = 0.0f;
    for (int d = 0; d < width; ++d) dot += query[d] * k[j * width + d];
    scores[j] = dot * rsqrtf(width);  //@score  //~ "rsqrtf(width)" -> "1.0f": WRONG_VALUES
  }
  __syncthreads();  //~ delete: DATA_RACE
  float most = -INFINITY, total = 0.0f;
  for (int j = 0; j < keys; ++j) most = fmaxf(most, scores[j]);
  __syncthreads();  //~ delete: DATA_RACE
  for (int j = threadIdx.x; j < keys; j += kThreads) scores[j] = expf(scores[j] - most);  //~ "threadIdx.x" -> "0": DATA_RACE @here
  __syncthreads();  //~ delete: DATA_RACE
  for (int j = 0; j < keys; ++j) total += scores[j];
  for (int d = threadIdx.x; d < width; d += kThreads) {
    float sum = 0.0f;
    for (int j = 0; j < keys; ++j) sum += scores[j] * v[j * width + d];  //~ "j < keys" -> "j <= keys": ILLEGAL_MEMORY_ACCESS @here
    out[d] = sum / total;  //~ "sum / total" -> "sum": WRONG_VALUES
  }
}

torch::Tensor forward(torch::Tensor q, torch::Tensor k, torch::Tensor v) {
  const int batch = q.size(0), queries = q.size(1), keys = k.size(1), width = q.size(2);
  auto out = torch::empty_like(q);
  const size_t bytes = (width + keys) * sizeof(float);  //~ "(width + keys)" -> "keys": ILLEGAL_MEMORY_ACCESS
  attend<<<dim3(queries, batch), kThreads, bytes>>>(q.data_ptr<float>(), k.data_ptr<float>(),
                                                    v.data_ptr<float>(), out.data_ptr<float>(),
                                                    queries, keys, width);
  return out;
}
