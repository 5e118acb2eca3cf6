// The runtime API from host code.
#include <cuda.h>
#include <cuda_runtime.h>
#include <device_launch_parameters.h>
#include <math_constants.h>
#include <stdio.h>
#include <string.h>
#define CHECK(call) do { cudaError_t e = (call); if (e != cudaSuccess) { printf("%s\n", cudaGetErrorString(e)); return __LINE__; } } while (0)

__global__ void scale(float* x, int n, float s) { int i = threadIdx.x; if (i < n) x[i] *= s; }

extern "C" int round_trip(const float* in, float* out, int n) {
  float* d = nullptr;
  cudaStream_t stream;
  cudaEvent_t start, stop;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&stop));
  CHECK(cudaMalloc(&d, n * sizeof(float)));
  CHECK(cudaEventRecord(start, stream));
  CHECK(cudaMemcpyAsync(d, in, n * sizeof(float), cudaMemcpyHostToDevice, stream));
  scale<<<1, n, 0, stream>>>(d, n, 3.0f);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(out, d, n * sizeof(float), cudaMemcpyDeviceToHost));
  CHECK(cudaEventRecord(stop, stream));
  CHECK(cudaEventSynchronize(stop));
  float milliseconds = -1;
  CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  CHECK(cudaMemset(d, 0, n * sizeof(float)));
  CHECK(cudaMemcpy(out + n, d, n * sizeof(float), cudaMemcpyDefault));
  CHECK(cudaFree(d));
  CHECK(cudaEventDestroy(start));
  CHECK(cudaEventDestroy(stop));
  CHECK(cudaStreamDestroy(stream));
  return milliseconds >= 0 ? 0 : __LINE__;
}

extern "C" int properties() {
  cudaDeviceProp p;
  CHECK(cudaGetDeviceProperties(&p, 0));
  if (p.major != 9 || p.warpSize != 32 || p.maxThreadsPerBlock != 1024) return __LINE__;
  int count, device, value, blocks, grid, block;
  CHECK(cudaGetDeviceCount(&count));
  CHECK(cudaGetDevice(&device));
  CHECK(cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, device));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0));
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale, 0, 0));
  if (count != 1 || device != 0 || value != p.multiProcessorCount || blocks != 8 || block != 1024) return __LINE__;
  if (!(CUDART_INF_F > 1e38f) || strcmp(cudaGetErrorName(cudaErrorInvalidValue), "cudaErrorInvalidValue")) return __LINE__;
  size_t available, total;
  CHECK(cudaMemGetInfo(&available, &total));
  return available <= total && total > (1u << 25) ? 0 : __LINE__;
}

// Wrong calls give errors, not crashes
extern "C" int wrong_calls(float* host) {
  float* d;
  CHECK(cudaMalloc(&d, 64));
  if (cudaMemcpy(d, host, 65, cudaMemcpyHostToDevice) != cudaErrorInvalidValue) return __LINE__;
  if (cudaMemcpy(d, host, 64, cudaMemcpyDeviceToHost) != cudaErrorInvalidValue) return __LINE__;
  if (cudaMemset(host, 0, 4) != cudaErrorInvalidValue) return __LINE__;
  if (cudaFree(d + 1) != cudaErrorInvalidValue) return __LINE__;
  if (cudaMalloc(&d, 1ull << 50) != cudaErrorMemoryAllocation) return __LINE__;
  if (cudaGetLastError() != cudaErrorMemoryAllocation || cudaGetLastError() != cudaSuccess) return __LINE__;
  return 0;
}
