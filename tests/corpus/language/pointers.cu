/* Rows reached through pointers to pointers, arithmetic on pointers, references, 2-D shared arrays.

def reference(a, b, c):
    rows = torch.stack([a, b, c])
    return rows.mean(0), rows.flip(1), torch.stack([a[::2].sum(), b[::2].sum(), c[::2].sum()])

def inputs():
    return [torch.randn(64), torch.randn(64), torch.randn(64)]
*/
#include <torch/extension.h>

struct Rows {
  const float* row[3];
  int count;
};

__device__ void reverse(float* first, float* last) {
  while (first < --last) {  //~ "--last" -> "last": DATA_RACE
    const float kept = *first;
    *first++ = *last;
    *last = kept;
  }
}

__device__ float every_other(const float* p, const float* const end) {
  float sum = 0.0f;
  for (; p < end; p += 2) sum += *p;  //~ "p += 2" -> "++p": WRONG_VALUES  //~ "p < end" -> "p <= end": DATA_RACE
  return sum;
}

__device__ void add_to(float& sum, const float& value) { sum += value; }  //~ "float& sum" -> "float sum": WRONG_VALUES

__global__ void through(Rows rows, float** out, float* mean, float* sums) {
  __shared__ float tile[3][64];  //~ "[3][64]" -> "[64][2]": COMPILE_ERROR
  const int t = threadIdx.x;
  float sum = 0.0f;
  for (int r = 0; r < rows.count; ++r) {
    tile[r][t] = rows.row[r][t];
    add_to(sum, *(*(tile + r) + t));
  }
  mean[t] = sum / rows.count;
  __syncthreads();  //~ delete: DATA_RACE
  if (t < 3) {
    float(*row)[64] = &tile[t];
    sums[t] = every_other(*row, *row + 64);
    reverse(tile[t], tile[t] + 64);
  }
  __syncthreads();  //~ delete: DATA_RACE
  for (int r = 0; r < 3; ++r) out[r][t] = (&tile[0][0])[r * 64 + t];  //~ "r * 64 + t" -> "r * 65 + t": ILLEGAL_MEMORY_ACCESS
}

std::vector<torch::Tensor> forward(torch::Tensor a, torch::Tensor b, torch::Tensor c) {
  auto mean = torch::empty_like(a), flipped = torch::empty({3, 64}, a.options());
  auto sums = torch::empty({3}, a.options());
  float* rows[3];
  for (int r = 0; r < 3; ++r) rows[r] = flipped.data_ptr<float>() + r * 64;
  float** out = nullptr;
  cudaMalloc(&out, sizeof(rows));
  cudaMemcpy(out, rows, sizeof(rows), cudaMemcpyHostToDevice);  //~ delete: ILLEGAL_MEMORY_ACCESS
  Rows in{{a.data_ptr<float>(), b.data_ptr<float>(), c.data_ptr<float>()}, 3};
  through<<<1, 64>>>(in, out, mean.data_ptr<float>(), sums.data_ptr<float>());  //~ "(in, out" -> "(in, rows": ILLEGAL_MEMORY_ACCESS
  cudaFree(out);
  return {mean, flipped, sums};
}
