// Threads that wait for what other threads write, by atomics or volatile.
#include <cuda_runtime.h>

__global__ void hand_over(float* x, volatile int* flag, int producer) {
  if (threadIdx.x == producer) {
    x[0] = 3.0f;
    __threadfence();
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    __threadfence();
    x[1 + threadIdx.x] = x[0];
  }
}
extern "C" void run_hand_over(float* x, int* flag, int producer) {
  hand_over<<<1, 40>>>(x, flag, producer);
}

__global__ void hand_over_without_fence(float* x, volatile int* flag) {
  if (threadIdx.x == 0) {
    x[0] = 3.0f;
    *flag = 1;
  } else {
    while (*flag == 0) {
    }
    x[1] = x[0];
  }
}
extern "C" void run_hand_over_without_fence(float* x, int* flag) {
  hand_over_without_fence<<<1, 2>>>(x, flag);
}

__global__ void count_under_lock(int* mutex, int* count) {
  for (bool done = false; !done;) {
    if (atomicCAS(mutex, 0, 1) == 0) {
      __threadfence();
      *count = *count + 1;
      __threadfence();
      atomicExch(mutex, 0);
      done = true;
    }
  }
}
extern "C" void run_count_under_lock(int* mutex, int* count) { count_under_lock<<<3, 64>>>(mutex, count); }

__global__ void meet(int* flags) {
  atomicExch(flags + blockIdx.x, 1);
  while (atomicAdd(flags + 1 - blockIdx.x, 0) == 0) {
  }
}
extern "C" void run_meet(int* flags) { meet<<<2, 32>>>(flags); }

__global__ void many_that_change_nothing(int* best) {
  for (int i = 0; i < 20000; ++i) atomicMax(best, 5);
}
extern "C" void run_many_that_change_nothing(int* best) { many_that_change_nothing<<<2, 64>>>(best); }

__device__ void last_warp(volatile float* s, int t) {
  for (int step = 32; step > 0; step /= 2) s[t] += s[t + step];
}
__global__ void warp_synchronous(float* x) {
  __shared__ float s[96];
  int t = threadIdx.x;
  s[t] = x[t];
  if (t < 32) s[64 + t] = 0;
  __syncthreads();
  if (t < 32) last_warp(s, t);
  if (t == 0) x[0] = s[0];
}
extern "C" void run_warp_synchronous(float* x) { warp_synchronous<<<1, 64>>>(x); }

__global__ void volatile_between_barriers(float* x) {
  __shared__ volatile float s[64];
  int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  x[t] = s[63 - t];
}
extern "C" void run_volatile_between_barriers(float* x) { volatile_between_barriers<<<1, 64>>>(x); }

__global__ void half_written(float* x, int written) {
  __shared__ float s[64];
  if (threadIdx.x < written) s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[63 - threadIdx.x];
}
extern "C" void run_half_written(float* x, int written) { half_written<<<1, 64>>>(x, written); }

template <class T>
__global__ void copy(const T* from, T* to) {
  to[threadIdx.x] = from[threadIdx.x];
}
extern "C" void run_copy(int bytes, const void* from, void* to) {
  if (bytes == 2) copy<<<1, 8>>>((const short*)from, (short*)to);
  if (bytes == 4) copy<<<1, 8>>>((const int*)from, (int*)to);
  if (bytes == 8) copy<<<1, 8>>>((const double*)from, (double*)to);
}
