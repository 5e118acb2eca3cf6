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

#define REFUSED(call, error) do { if ((call) != (error)) return __LINE__; } while (0)

// A handle is valid from its creation to its destruction
extern "C" int handles() {
  cudaStream_t stream;
  cudaEvent_t event, untimed;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaEventCreate(&event));
  CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  CHECK(cudaEventRecord(event, stream));
  CHECK(cudaEventRecord(untimed, 0));
  CHECK(cudaStreamWaitEvent(0, event));
  float milliseconds;
  REFUSED(cudaEventElapsedTime(&milliseconds, event, untimed), cudaErrorInvalidResourceHandle);
  CHECK(cudaStreamDestroy(stream));
  CHECK(cudaEventDestroy(event));
  REFUSED(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  REFUSED(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
  REFUSED(cudaEventRecord(event), cudaErrorInvalidResourceHandle);
  REFUSED(cudaMemsetAsync(nullptr, 0, 0, stream), cudaErrorInvalidResourceHandle);
  (void)cudaGetLastError();
  scale<<<1, 1, 0, stream>>>(nullptr, 0, 1.0f);
  REFUSED(cudaGetLastError(), cudaErrorInvalidResourceHandle);
  return 0;
}

// Each kind of memory is freed by its own function, and only pinned memory is both sides'
extern "C" int owners(float* of_torch) {
  float *device, *pinned;
  CHECK(cudaMalloc(&device, 64));
  CHECK(cudaMallocHost(&pinned, 64));
  REFUSED(cudaFree(of_torch), cudaErrorInvalidValue);
  REFUSED(cudaFree(pinned), cudaErrorInvalidValue);
  REFUSED(cudaFreeHost(device), cudaErrorInvalidValue);
  for (int i = 0; i < 16; ++i) pinned[i] = i;
  scale<<<1, 16>>>(pinned, 16, 2.0f);
  if (pinned[15] != 30.0f) return __LINE__;
  CHECK(cudaMemcpy(device, pinned, 64, cudaMemcpyHostToDevice));
  REFUSED(cudaMemcpy(device, pinned + 1, 64, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(pinned));
  REFUSED(cudaFree(device), cudaErrorInvalidValue);
  REFUSED(cudaFreeHost(pinned), cudaErrorInvalidValue);
  return 0;
}

__device__ int counted[2];

extern "C" int symbols() {
  int values[3] = {4, 5, 6}, *address;
  auto* pointer = &counted;
  REFUSED(cudaMemcpyToSymbol(pointer, values, 8), cudaErrorInvalidSymbol);
  CHECK(cudaGetSymbolAddress((void**)&address, counted));
  CHECK(cudaMemcpy(address + 1, values, 4, cudaMemcpyHostToDevice));
  REFUSED(cudaMemcpy(address, values, 12, cudaMemcpyHostToDevice), cudaErrorInvalidValue);
  CHECK(cudaMemcpyFromSymbol(values, counted, 8));
  return values[0] == 0 && values[1] == 4 ? 0 : __LINE__;
}

struct Filled {  // what a launch copies, and an occupancy query must not
  const int* from = nullptr;
  int value = 0;
  Filled() {}
  Filled(const Filled& o) : from(o.from), value(*o.from) {}
};
__global__ void __launch_bounds__(192) bounded(Filled, float*) {}
__global__ void unbounded(Filled, float*) {}

extern "C" int occupancy() {
  int grid, block, resident;
  cudaFuncAttributes attributes;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, bounded));
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, bounded, 256, 0));
  CHECK(cudaFuncGetAttributes(&attributes, bounded));
  if (block != 192 || resident != 0 || attributes.maxThreadsPerBlock != 192) return __LINE__;
  CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, unbounded));
  return block == 1024 ? 0 : __LINE__;
}

// Errors that are left to whoever checks next: 1 of a call, 2 of a launch, 3 taken
extern "C" void leave_error(int kind) {
  if (kind == 1) cudaSetDevice(7);
  if (kind >= 2) scale<<<0, 1>>>(nullptr, 0, 1.0f);
  if (kind == 3) (void)cudaGetLastError();
}
