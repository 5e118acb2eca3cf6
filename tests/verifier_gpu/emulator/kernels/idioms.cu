// Kernels in the manner of public ones: register tiling, attention, stencils, searches.
#include <cuda.h>
#include <cuda_runtime.h>
#include <float.h>
#include <math.h>
#include <stdint.h>
#define CEIL_DIV(a, b) (((a) + (b) - 1) / (b))
#define FLOAT4(p) (reinterpret_cast<float4*>(&(p))[0])
#define CONST_FLOAT4(p) (reinterpret_cast<const float4*>(&(p))[0])
#define WARP_SIZE 32
#define FULL_MASK 0xffffffff

// Matrix product with 2-D register tiles and vector loads; M, N, K multiples of the tile
template <const int BM, const int BN, const int BK, const int TM, const int TN>
__global__ void __launch_bounds__((BM * BN) / (TM * TN), 1)
    sgemm(int M, int N, int K, float alpha, const float* A, const float* B, float beta, float* C) {
  const uint cRow = blockIdx.y, cCol = blockIdx.x;
  const int threadCol = threadIdx.x % (BN / TN), threadRow = threadIdx.x / (BN / TN);
  __shared__ float As[BM * BK];
  __shared__ float Bs[BK * BN];
  A += cRow * BM * K;
  B += cCol * BN;
  C += cRow * BM * N + cCol * BN;
  const uint innerRowA = threadIdx.x / (BK / 4), innerColA = threadIdx.x % (BK / 4);
  const uint innerRowB = threadIdx.x / (BN / 4), innerColB = threadIdx.x % (BN / 4);
  float results[TM * TN] = {0.0f};
  float regM[TM], regN[TN];
  for (uint bk = 0; bk < K; bk += BK) {
    float4 t = CONST_FLOAT4(A[innerRowA * K + innerColA * 4]);
    As[(innerColA * 4 + 0) * BM + innerRowA] = t.x;
    As[(innerColA * 4 + 1) * BM + innerRowA] = t.y;
    As[(innerColA * 4 + 2) * BM + innerRowA] = t.z;
    As[(innerColA * 4 + 3) * BM + innerRowA] = t.w;
    FLOAT4(Bs[innerRowB * BN + innerColB * 4]) = CONST_FLOAT4(B[innerRowB * N + innerColB * 4]);
    __syncthreads();
    A += BK;
    B += BK * N;
    for (uint d = 0; d < BK; ++d) {
      for (uint i = 0; i < TM; ++i) regM[i] = As[d * BM + threadRow * TM + i];
      for (uint i = 0; i < TN; ++i) regN[i] = Bs[d * BN + threadCol * TN + i];
      for (uint m = 0; m < TM; ++m)
        for (uint n = 0; n < TN; ++n) results[m * TN + n] += regM[m] * regN[n];
    }
    __syncthreads();
  }
  for (uint m = 0; m < TM; m += 1)
    for (uint n = 0; n < TN; n += 4) {
      float4 t = FLOAT4(C[(threadRow * TM + m) * N + threadCol * TN + n]);
      t.x = alpha * results[m * TN + n] + beta * t.x;
      t.y = alpha * results[m * TN + n + 1] + beta * t.y;
      t.z = alpha * results[m * TN + n + 2] + beta * t.z;
      t.w = alpha * results[m * TN + n + 3] + beta * t.w;
      FLOAT4(C[(threadRow * TM + m) * N + threadCol * TN + n]) = t;
    }
}
extern "C" void run_sgemm(const float* A, const float* B, float* C, int M, int N, int K) {
  const uint BM = 64, BN = 64, BK = 8, TM = 4, TN = 8;
  dim3 grid(CEIL_DIV(N, BN), CEIL_DIV(M, BM));
  sgemm<BM, BN, BK, TM, TN><<<grid, (BM * BN) / (TM * TN)>>>(M, N, K, 2.0f, A, B, 0.5f, C);
}

// Attention by tiles with a running softmax
__global__ void flash(const float* Q, const float* K, const float* V, const int N, const int d, const int Tc,
                      const int Bc, const float scale, float* O) {
  extern __shared__ float sram[];
  const int tx = threadIdx.x, tile = Bc * d, base = blockIdx.x * N * d;
  float* Kj = sram;
  float* Vj = &sram[tile];
  float* S = &sram[tile * 2];
  for (int row = blockIdx.y * blockDim.x + tx, once = 0; once < 1; ++once) {
    float m = -INFINITY, l = 0.0f, acc[16] = {};
    for (int j = 0; j < Tc; ++j) {
      for (int x = 0; x < d; x++) {
        int k = j * Bc + tx;
        Kj[tx * d + x] = k < N ? K[base + k * d + x] : 0.f;
        Vj[tx * d + x] = k < N ? V[base + k * d + x] : 0.f;
      }
      __syncthreads();
      if (row < N) {
        float row_m = -INFINITY, row_l = 0;
        for (int y = 0; y < Bc; y++) {
          float sum = 0;
          for (int x = 0; x < d; x++) sum += Q[base + row * d + x] * Kj[y * d + x];
          S[Bc * tx + y] = j * Bc + y < N ? sum * scale : -FLT_MAX;
          row_m = max(row_m, S[Bc * tx + y]);
        }
        float m_new = max(m, row_m);
        float correction = __expf(m - m_new);
        for (int x = 0; x < d; x++) acc[x] *= correction;
        for (int y = 0; y < Bc; y++) {
          float p = __expf(S[Bc * tx + y] - m_new);
          row_l += p;
          for (int x = 0; x < d; x++) acc[x] += p * Vj[y * d + x];
        }
        l = l * correction + row_l;
        m = m_new;
      }
      __syncthreads();
    }
    if (row < N)
      for (int x = 0; x < d; x++) O[base + row * d + x] = acc[x] / l;
  }
}
extern "C" void run_flash(const float* Q, const float* K, const float* V, float* O, int BH, int N, int d) {
  const int Bc = 16, Tc = (N + Bc - 1) / Bc;
  flash<<<dim3(BH, Tc), Bc, (2 * Bc * d + Bc * Bc) * sizeof(float)>>>(Q, K, V, N, d, Tc, Bc, 1.0f / sqrtf(d), O);
}

// 2-D convolution: filter in constant memory, input tile with halo
#define R 1
#define TILE_DIM 8
__constant__ float filter_c[(2 * R + 1) * (2 * R + 1)];
__global__ void conv_tiled(const float* in, float* out, int h, int w) {
  __shared__ float tile[TILE_DIM + 2 * R][TILE_DIM + 2 * R];
  int ox = blockIdx.x * TILE_DIM + threadIdx.x - R, oy = blockIdx.y * TILE_DIM + threadIdx.y - R;
  tile[threadIdx.y][threadIdx.x] = (ox >= 0 && ox < w && oy >= 0 && oy < h) ? in[oy * w + ox] : 0.0f;
  __syncthreads();
  if (threadIdx.x >= R && threadIdx.x < TILE_DIM + R && threadIdx.y >= R && threadIdx.y < TILE_DIM + R && ox < w && oy < h) {
    float s = 0.f;
#pragma unroll
    for (int fy = -R; fy <= R; ++fy)
      for (int fx = -R; fx <= R; ++fx)
        s += tile[threadIdx.y + fy][threadIdx.x + fx] * filter_c[(fy + R) * (2 * R + 1) + fx + R];
    out[oy * w + ox] = s;
  }
}
extern "C" void run_conv(const float* in, const float* host_filter, float* out, int h, int w) {
  cudaMemcpyToSymbol(filter_c, host_filter, sizeof(filter_c));
  dim3 block(TILE_DIM + 2 * R, TILE_DIM + 2 * R);
  conv_tiled<<<dim3(CEIL_DIV(w, TILE_DIM), CEIL_DIV(h, TILE_DIM)), block>>>(in, out, h, w);
}

// Row-wise argmax with pairs through shuffles; 64-bit indices
struct Best { float value; int64_t index; };
__device__ __forceinline__ Best better(const Best& a, const Best& b) {
  return (b.value > a.value || (b.value == a.value && b.index < a.index)) ? b : a;
}
__global__ void argmax(const float* __restrict__ x, int64_t* __restrict__ out, int64_t cols) {
  __shared__ Best warps[8];
  Best best{-FLT_MAX, INT64_MAX};
  for (int64_t i = threadIdx.x; i < cols; i += blockDim.x) best = better(best, Best{x[blockIdx.x * cols + i], i});
  for (int o = WARP_SIZE >> 1; o > 0; o >>= 1) {
    Best other{__shfl_down_sync(FULL_MASK, best.value, o), __shfl_down_sync(FULL_MASK, best.index, o)};
    best = better(best, other);
  }
  if (threadIdx.x % WARP_SIZE == 0) warps[threadIdx.x / WARP_SIZE] = best;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < blockDim.x / WARP_SIZE; ++w) best = better(best, warps[w]);
    out[blockIdx.x] = best.index;
  }
}
extern "C" void run_argmax(const float* x, int64_t* out, int rows, int cols) { argmax<<<rows, 128>>>(x, out, cols); }

// Block reduction as a template with its own shared memory, used twice; cross entropy
template <typename T>
__inline__ __device__ T warpReduceSum(T val) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2) val += __shfl_down_sync(FULL_MASK, val, offset);
  return val;
}
template <typename T>
__inline__ __device__ T blockReduceSum(T val) {
  static __shared__ T shared[32];
  int lane = threadIdx.x % warpSize, wid = threadIdx.x / warpSize;
  val = warpReduceSum(val);
  __syncthreads();
  if (lane == 0) shared[wid] = val;
  __syncthreads();
  val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : T(0);
  if (wid == 0) val = warpReduceSum(val);
  return val;
}
__global__ void cross_entropy(const float* logits, const int64_t* target, float* loss, int rows, int cols) {
  __shared__ float shared_max;
  const float* row = logits + blockIdx.x * cols;
  float m = -INFINITY;
  if (threadIdx.x == 0) {
    for (int i = 0; i < cols; ++i) m = fmaxf(m, row[i]);
    shared_max = m;
  }
  __syncthreads();
  m = shared_max;
  float s = 0.f, q = 0.f;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) { s += expf(row[i] - m); q += row[i] * row[i]; }
  s = blockReduceSum<float>(s);
  q = blockReduceSum<float>(q);
  if (threadIdx.x == 0) atomicAdd(loss, (logf(s) + m - row[target[blockIdx.x]] + 0.001f * q) / rows);
}
extern "C" void run_cross_entropy(const float* logits, const int64_t* target, float* loss, int rows, int cols) {
  cudaMemset(loss, 0, sizeof(float));
  cross_entropy<<<rows, 64>>>(logits, target, loss, rows, cols);
}

// In-place bitonic sort in shared memory
__global__ void bitonic(float* data, int n) {
  extern __shared__ float s[];
  unsigned int tid = threadIdx.x;
  s[tid] = tid < n ? data[tid] : FLT_MAX;
  __syncthreads();
  for (unsigned int k = 2; k <= blockDim.x; k <<= 1)
    for (unsigned int j = k >> 1; j > 0; j >>= 1) {
      unsigned int ixj = tid ^ j;
      if (ixj > tid && ((s[tid] > s[ixj]) == ((tid & k) == 0))) { float t = s[tid]; s[tid] = s[ixj]; s[ixj] = t; }
      __syncthreads();
    }
  if (tid < n) data[tid] = s[tid];
}
extern "C" void run_bitonic(float* data, int n) { bitonic<<<1, 128, 128 * sizeof(float)>>>(data, n); }

// A lock per bin, a double sum by CAS, grid-stride loops
__device__ double atomic_add_double(double* address, double val) {
  unsigned long long int* p = (unsigned long long int*)address;
  unsigned long long int old = *p, assumed;
  do {
    assumed = old;
    old = atomicCAS(p, assumed, __double_as_longlong(val + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}
__global__ void locked(double* sum, int* count, int* mutex, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomic_add_double(sum, i * 0.5);
    while (atomicCAS(mutex, 0, 1) != 0);
    *count += 1;
    __threadfence();
    atomicExch(mutex, 0);
  }
}
extern "C" void run_locked(double* sum, int* count, int* mutex, int n) { locked<<<3, 40>>>(sum, count, mutex, n); }

// Vector loads with a scalar tail
__global__ void vector_scale(const float* x, float* y, int n, float s) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i + 3 < n) {
    float4 v = *reinterpret_cast<const float4*>(x + i);
    v.x *= s; v.y *= s; v.z *= s; v.w *= s;
    *reinterpret_cast<float4*>(y + i) = v;
  } else {
    for (; i < n; ++i) y[i] = x[i] * s;
  }
}
extern "C" void run_vector_scale(const float* x, float* y, int n, float s) {
  vector_scale<<<CEIL_DIV(CEIL_DIV(n, 4), 32), 32>>>(x, y, n, s);
}
