// Kernels with barriers, as models write them.
#include <cuda_runtime.h>
#define TILE 16
// Tests take single barriers away, by number.
__device__ int removed = -1;
extern "C" void remove_barrier(int number) { cudaMemcpyToSymbol(removed, &number, sizeof(int)); }
#define SYNC(number) \
  do { if (removed != number) __syncthreads(); } while (0)

__global__ void matmul_tiled(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float As[TILE][TILE], Bs[TILE][TILE + 1];
  int row = blockIdx.y * TILE + threadIdx.y, col = blockIdx.x * TILE + threadIdx.x;
  float acc = 0.0f;
  for (int t = 0; t < (K + TILE - 1) / TILE; ++t) {
    int ka = t * TILE + threadIdx.x, kb = t * TILE + threadIdx.y;
    As[threadIdx.y][threadIdx.x] = (row < M && ka < K) ? A[row * K + ka] : 0.0f;
    Bs[threadIdx.y][threadIdx.x] = (col < N && kb < K) ? B[kb * N + col] : 0.0f;
    SYNC(0);
#pragma unroll
    for (int k = 0; k < TILE; ++k) acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
    SYNC(1);
  }
  if (row < M && col < N) C[row * N + col] = acc;
}
extern "C" void run_matmul(const float* A, const float* B, float* C, int M, int N, int K) {
  dim3 block(TILE, TILE), grid((N + TILE - 1) / TILE, (M + TILE - 1) / TILE);
  matmul_tiled<<<grid, block>>>(A, B, C, M, N, K);
}

__global__ void row_sum(const float* x, float* out, int cols) {
  extern __shared__ float sdata[];
  int tid = threadIdx.x;
  float sum = 0.0f;
  for (int i = tid; i < cols; i += blockDim.x) sum += x[blockIdx.x * cols + i];
  sdata[tid] = sum;
  SYNC(2);
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    SYNC(3);
  }
  if (tid == 0) out[blockIdx.x] = sdata[0];
}
extern "C" void run_row_sum(const float* x, float* out, int rows, int cols) {
  row_sum<<<rows, 128, 128 * sizeof(float)>>>(x, out, cols);
}

template <typename T, int DIM, int ROWS>
__global__ void transpose(const T* __restrict__ in, T* __restrict__ out, int rows, int cols) {
  __shared__ T tile[DIM][DIM + 1];
  int x = blockIdx.x * DIM + threadIdx.x, y = blockIdx.y * DIM + threadIdx.y;
  for (int j = 0; j < DIM; j += ROWS)
    if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
  SYNC(4);
  x = blockIdx.y * DIM + threadIdx.x;
  y = blockIdx.x * DIM + threadIdx.y;
  for (int j = 0; j < DIM; j += ROWS)
    if (x < rows && y + j < cols) out[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}
extern "C" void run_transpose(const float* in, float* out, int rows, int cols) {
  dim3 block(32, 8), grid((cols + 31) / 32, (rows + 31) / 32);
  transpose<float, 32, 8><<<grid, block>>>(in, out, rows, cols);
}

#define BINS 32
__global__ void histogram(const int* x, int* bins, int n) {
  __shared__ int local[BINS];
  if (threadIdx.x < BINS) local[threadIdx.x] = 0;
  SYNC(5);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&local[x[i]], 1);
  SYNC(6);
  if (threadIdx.x < BINS) atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}
extern "C" void run_histogram(const int* x, int* bins, int n) {
  cudaMemset(bins, 0, BINS * sizeof(int));
  histogram<<<3, 64>>>(x, bins, n);
}

// Blelloch's scan of one block's elements
extern __shared__ float scan_data[];
__global__ void scan(const float* in, float* out, int n) {
  int t = threadIdx.x, offset = 1;
  scan_data[2 * t] = in[2 * t];
  scan_data[2 * t + 1] = in[2 * t + 1];
  for (int d = n >> 1; d > 0; d >>= 1) {
    SYNC(7);
    if (t < d) scan_data[offset * (2 * t + 2) - 1] += scan_data[offset * (2 * t + 1) - 1];
    offset *= 2;
  }
  if (t == 0) scan_data[n - 1] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    SYNC(8);
    if (t < d) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      float v = scan_data[a];
      scan_data[a] = scan_data[b];
      scan_data[b] += v;
    }
  }
  SYNC(9);
  out[2 * t] = scan_data[2 * t];
  out[2 * t + 1] = scan_data[2 * t + 1];
}
extern "C" void run_scan(const float* in, float* out, int n) { scan<<<1, n / 2, n * sizeof(float)>>>(in, out, n); }

// Softmax: warp shuffles, then one warp over the warps' results
__inline__ __device__ float warp_max(float v) {
  for (int o = warpSize / 2; o > 0; o /= 2) v = fmaxf(v, __shfl_down_sync(0xffffffff, v, o));
  return v;
}
__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}
template <int BLOCK>
__global__ void softmax(const float* x, float* y, int cols) {
  static __shared__ float partial[BLOCK / 32];
  __shared__ float row_max, row_sum;
  const float* row = x + blockIdx.x * cols;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float m = -INFINITY;
  for (int i = threadIdx.x; i < cols; i += BLOCK) m = fmaxf(m, row[i]);
  m = warp_max(m);
  if (lane == 0) partial[warp] = m;
  SYNC(10);
  if (warp == 0) {
    m = lane < BLOCK / 32 ? partial[lane] : -INFINITY;
    m = warp_max(m);
    if (lane == 0) row_max = m;
  }
  SYNC(11);
  float sum = 0.0f;
  for (int i = threadIdx.x; i < cols; i += BLOCK) sum += __expf(row[i] - row_max);
  sum = warp_sum(sum);
  if (lane == 0) partial[warp] = sum;
  SYNC(12);
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (int w = 0; w < BLOCK / 32; ++w) total += partial[w];
    row_sum = total;
  }
  SYNC(13);
  for (int i = threadIdx.x; i < cols; i += BLOCK) y[blockIdx.x * cols + i] = __expf(row[i] - row_max) / row_sum;
}
extern "C" void run_softmax(const float* x, float* y, int rows, int cols) { softmax<128><<<rows, 128>>>(x, y, cols); }

// Layer norm, templated, two dynamic arrays in one buffer
template <typename scalar_t, unsigned BLOCK>
__global__ void layer_norm(const scalar_t* x, const scalar_t* gamma, const scalar_t* beta, scalar_t* y, int cols, float eps) {
  extern __shared__ __align__(sizeof(double)) unsigned char buffer[];
  float* sums = reinterpret_cast<float*>(buffer);
  float* squares = sums + BLOCK;
  const scalar_t* row = x + blockIdx.x * cols;
  float s = 0, q = 0;
  for (int i = threadIdx.x; i < cols; i += BLOCK) { float v = row[i]; s += v; q += v * v; }
  sums[threadIdx.x] = s; squares[threadIdx.x] = q;
  SYNC(14);
  for (unsigned k = BLOCK / 2; k; k >>= 1) {
    if (threadIdx.x < k) { sums[threadIdx.x] += sums[threadIdx.x + k]; squares[threadIdx.x] += squares[threadIdx.x + k]; }
    SYNC(15);
  }
  float mean = sums[0] / cols, inv = rsqrtf(squares[0] / cols - mean * mean + eps);
  for (int i = threadIdx.x; i < cols; i += BLOCK) y[blockIdx.x * cols + i] = (row[i] - mean) * inv * gamma[i] + beta[i];
}
extern "C" void run_layer_norm(const float* x, const float* g, const float* b, float* y, int rows, int cols) {
  layer_norm<float, 64><<<rows, 64, 2 * 64 * sizeof(float)>>>(x, g, b, y, cols, 1e-5f);
}

// Returned threads count as arrived; the counting barriers
__global__ void early_return(int* out, int n) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  int even = __syncthreads_count(threadIdx.x % 2 == 0);
  int all = __syncthreads_and(threadIdx.x < 1024), any = __syncthreads_or(threadIdx.x == 5);
  if (threadIdx.x >= n) return;
  atomicAdd(&total, 1);
  SYNC(16);
  out[threadIdx.x] = total * 1000000 + even * 1000 + all * 10 + any;
}
extern "C" void run_early_return(int* out, int n) { early_return<<<1, 100>>>(out, n); }

// The last block finishes the reduction
__device__ unsigned int blocks_done = 0;
__global__ void last_block_sum(const float* x, float* partial, float* out, int n) {
  __shared__ float s[64];
  __shared__ bool last;
  int i = blockIdx.x * 64 + threadIdx.x;
  s[threadIdx.x] = i < n ? x[i] : 0.0f;
  SYNC(17);
  for (int k = 32; k; k >>= 1) {
    if (threadIdx.x < k) s[threadIdx.x] += s[threadIdx.x + k];
    SYNC(18);
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;
  }
  SYNC(19);
  if (last && threadIdx.x == 0) {
    float total = 0.0f;
    for (int b = 0; b < gridDim.x; ++b) total += partial[b];
    *out = total;
  }
}
extern "C" void run_last_block(const float* x, float* partial, float* out, int n) {
  last_block_sum<<<(n + 63) / 64, 64>>>(x, partial, out, n);
}
