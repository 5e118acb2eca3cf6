// Data races, and what looks like one but is none. Every kernel runs as kernel(x, n).
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#define RUN(name, grid, block) \
  extern "C" void run_##name(float* x, int n) { name<<<grid, block>>>(x, n); }

// ---- Races
__global__ void neighbour(float* x, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = x[threadIdx.x];
  x[threadIdx.x] = s[(threadIdx.x + 1) % 64];
}
RUN(neighbour, 1, 64)

__global__ void second_barrier_missing(float* x, int n) {
  __shared__ float s[64];
  for (int i = 0; i < 2; ++i) {
    s[threadIdx.x] = i;
    __syncthreads();
    x[threadIdx.x] += s[63 - threadIdx.x];
  }
}
RUN(second_barrier_missing, 1, 64)

__global__ void blocks_write_one_place(float* x, int n) { x[0] = blockIdx.x; }
RUN(blocks_write_one_place, 2, 1)

__global__ void stencil_in_place(float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float left = i > 0 ? x[i - 1] : 0.0f;
  __syncthreads();
  x[i] = left + 1.0f;
}
RUN(stencil_in_place, 2, 32)

__global__ void lost_update(float* x, int n) { x[0] += 1.0f; }
RUN(lost_update, 1, 2)

__global__ void warp_without_syncwarp(float* x, int n) {
  __shared__ float s[32];
  s[threadIdx.x] = threadIdx.x;
  x[threadIdx.x] = s[threadIdx.x ^ 1];
}
RUN(warp_without_syncwarp, 1, 32)

__global__ void wrong_half_of_the_warp(float* x, int n) {
  __shared__ float s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp(threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u);
  x[threadIdx.x] = s[threadIdx.x ^ 16];
}
RUN(wrong_half_of_the_warp, 1, 32)

__device__ unsigned int arrived = 0;
__global__ void last_block_without_fence(float* x, int n) {
  x[1 + blockIdx.x] = blockIdx.x;
  if (atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1) {
    float sum = 0.0f;
    for (int b = 0; b < gridDim.x; ++b) sum += x[1 + b];
    x[0] = sum;
  }
}
RUN(last_block_without_fence, 4, 1)

__global__ void cleared_too_late(float* x, int n) {
  if (threadIdx.x == 31) x[0] = 0.0f;
  atomicAdd(x, 1.0f);
}
RUN(cleared_too_late, 1, 32)

__device__ float total = 0.0f;
__global__ void variable(float* x, int n) { total += x[threadIdx.x] + 1.0f; }
RUN(variable, 2, 32)

__global__ void shuffle_is_no_barrier(float* x, int n) {
  __shared__ float s[32];
  s[threadIdx.x] = threadIdx.x;
  __shfl_sync(0xffffffffu, 1.0f, 0);
  x[threadIdx.x] = s[threadIdx.x ^ 2];
}
RUN(shuffle_is_no_barrier, 1, 32)

// ---- No races
__global__ void same_value(float* x, int n) {
  __shared__ bool any;
  any = true;
  x[0] = 7.0f;
  __syncthreads();
  if (any) x[1 + threadIdx.x] = 1.0f;
}
RUN(same_value, 2, 32)

__global__ void syncwarp(float* x, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp();
  float v = s[threadIdx.x ^ 1];
  __syncwarp();
  s[threadIdx.x] = v + 1.0f;
  __syncwarp();
  x[threadIdx.x] = s[threadIdx.x ^ 2];
}
RUN(syncwarp, 1, 64)

__global__ void tiles(float* x, int n) {
  __shared__ float s[32];
  s[threadIdx.x] = threadIdx.x;
  __syncwarp(threadIdx.x < 16 ? 0x0000ffffu : 0xffff0000u);
  x[threadIdx.x] = s[threadIdx.x ^ 8];
}
RUN(tiles, 1, 32)

__global__ void small_neighbours(float* x, int n) {
  half* h = reinterpret_cast<half*>(x);
  unsigned char* bytes = reinterpret_cast<unsigned char*>(x + 32);
  h[threadIdx.x] = __float2half(threadIdx.x);
  bytes[threadIdx.x] = threadIdx.x;
}
RUN(small_neighbours, 1, 64)

__global__ void lock(float* x, int n) {
  int* mutex = reinterpret_cast<int*>(x + 1);
  while (atomicCAS(mutex, 0, 1) != 0) {}
  x[0] += 1.0f;
  __threadfence();
  atomicExch(mutex, 0);
}
RUN(lock, 2, 32)

__global__ void compare_and_swap(float* x, int n) {
  int* address = reinterpret_cast<int*>(x);
  int old = *address, assumed;
  do {
    assumed = old;
    old = atomicCAS(address, assumed, __float_as_int(__int_as_float(assumed) + 1.0f));
  } while (assumed != old);
}
RUN(compare_and_swap, 2, 32)

__global__ void fenced(float* x, int n) {
  x[1 + blockIdx.x] = blockIdx.x;
  __threadfence();
  if (atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1) {
    float sum = 0.0f;
    for (int b = 0; b < gridDim.x; ++b) sum += x[1 + b];
    x[0] = sum;
  }
}
RUN(fenced, 4, 1)

__global__ void shift(float* x, int n) { x[threadIdx.x] = threadIdx.x + n; }
extern "C" void run_two_launches(float* x, int n) {
  shift<<<1, 64>>>(x, 0);
  shift<<<1, 64>>>(x, 1);
}

__global__ void exited(float* x, int n) {
  __shared__ float s[64];
  s[threadIdx.x] = threadIdx.x;
  if (threadIdx.x >= 32) return;
  __syncthreads();
  x[threadIdx.x] = s[threadIdx.x + 32];
}
RUN(exited, 1, 64)
