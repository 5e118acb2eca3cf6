// The CUDA runtime API: the device, streams, events, kernel attributes.
//
// The device looks like one GPU of architecture sm_90, so that code which sizes
// its launches by the properties behaves as on the real one.

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "fault.h"
#include "launch.h"
#include "memory.h"
#include "shared.h"

using namespace leap;

namespace {

constexpr int kInvalidValue = 1, kInvalidDevice = 101, kInvalidHandle = 400;
constexpr int kProcessors = 132, kThreadsPerProcessor = 2048, kSharedPerProcessor = 228 * 1024;

// As in leap_api.h, which declares C++ types that this library has no use for.
struct Properties {
  char name[256];
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor, multiProcessorCount, l2CacheSize, maxThreadsPerMultiProcessor,
      maxBlocksPerMultiProcessor;
  size_t sharedMemPerMultiprocessor, sharedMemPerBlockOptin;
  int regsPerMultiprocessor, memoryClockRate, memoryBusWidth, concurrentKernels, cooperativeLaunch;
};

struct FunctionAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, maxDynamicSharedSizeBytes;
};

struct Handle {  // a stream or an event
  timespec recorded;
  bool has_record;
};

int check_device(int device) { return device == 0 ? 0 : set_last_error(kInvalidDevice); }

}  // namespace

extern "C" {

int cudaDeviceSynchronize(void) { return sticky_error(); }
int cudaDeviceReset(void) { return sticky_error(); }
int cudaGetDevice(int* device) {
  *device = 0;
  return 0;
}
int cudaSetDevice(int device) { return check_device(device); }
int cudaGetDeviceCount(int* count) {
  *count = 1;
  return 0;
}

int cudaGetDeviceProperties(Properties* p, int device) {
  if (int error = check_device(device)) return error;
  memset(p, 0, sizeof *p);
  snprintf(p->name, sizeof p->name, "LEAP emulated device (sm_90)");
  size_t used;
  leap_device_memory(&used, &p->totalGlobalMem);
  p->sharedMemPerBlock = kStaticSharedLimit;
  p->regsPerBlock = p->regsPerMultiprocessor = 65536;
  p->warpSize = 32;
  p->maxThreadsPerBlock = 1024;
  p->maxThreadsDim[0] = p->maxThreadsDim[1] = 1024;
  p->maxThreadsDim[2] = 64;
  p->maxGridSize[0] = 2147483647;
  p->maxGridSize[1] = p->maxGridSize[2] = 65535;
  p->clockRate = 1980000;
  p->totalConstMem = 65536;
  p->major = 9;
  p->multiProcessorCount = kProcessors;
  p->l2CacheSize = 50 << 20;
  p->maxThreadsPerMultiProcessor = kThreadsPerProcessor;
  p->maxBlocksPerMultiProcessor = 32;
  p->sharedMemPerMultiprocessor = kSharedPerProcessor;
  p->sharedMemPerBlockOptin = kOptInSharedLimit;
  p->memoryClockRate = 2619000;
  p->memoryBusWidth = 5120;
  p->concurrentKernels = p->cooperativeLaunch = 1;
  return 0;
}

int cudaDeviceGetAttribute(int* value, int attribute, int device) {
  if (int error = check_device(device)) return error;
  switch (attribute) {
    case 1: case 2: case 3: *value = 1024; return 0;
    case 4: *value = 64; return 0;
    case 5: *value = 2147483647; return 0;
    case 6: case 7: *value = 65535; return 0;
    case 8: *value = static_cast<int>(kStaticSharedLimit); return 0;
    case 10: *value = 32; return 0;
    case 12: *value = 65536; return 0;
    case 16: *value = kProcessors; return 0;
    case 39: *value = kThreadsPerProcessor; return 0;
    case 75: *value = 9; return 0;
    case 76: *value = 0; return 0;
    case 81: *value = kSharedPerProcessor; return 0;
    case 95: *value = 1; return 0;
    case 97: *value = static_cast<int>(kOptInSharedLimit); return 0;
    default: return set_last_error(kInvalidValue);
  }
}
int cudaDriverGetVersion(int* version) {
  *version = 13000;
  return 0;
}
int cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return 0;
}
int cudaDeviceSetCacheConfig(int) { return 0; }
int cudaDeviceSetSharedMemConfig(int) { return 0; }

int cudaStreamCreate(Handle** stream) {
  *stream = new Handle{};
  return 0;
}
int cudaStreamCreateWithFlags(Handle** stream, unsigned) { return cudaStreamCreate(stream); }
int cudaStreamCreateWithPriority(Handle** stream, unsigned, int) { return cudaStreamCreate(stream); }
int cudaStreamDestroy(Handle* stream) {
  delete stream;
  return sticky_error();
}
int cudaStreamSynchronize(Handle*) { return sticky_error(); }
int cudaStreamQuery(Handle*) { return sticky_error(); }
int cudaStreamWaitEvent(Handle*, Handle*, unsigned) { return sticky_error(); }
int cudaEventCreate(Handle** event) { return cudaStreamCreate(event); }
int cudaEventCreateWithFlags(Handle** event, unsigned) { return cudaStreamCreate(event); }
int cudaEventDestroy(Handle* event) { return cudaStreamDestroy(event); }
int cudaEventRecord(Handle* event, Handle*) {
  if (!event) return set_last_error(kInvalidHandle);
  clock_gettime(CLOCK_MONOTONIC, &event->recorded);
  event->has_record = true;
  return sticky_error();
}
int cudaEventSynchronize(Handle*) { return sticky_error(); }
int cudaEventQuery(Handle*) { return sticky_error(); }
int cudaEventElapsedTime(float* milliseconds, Handle* start, Handle* end) {
  if (!start || !end || !start->has_record || !end->has_record) return set_last_error(kInvalidHandle);
  *milliseconds = static_cast<float>(1e3 * static_cast<double>(end->recorded.tv_sec - start->recorded.tv_sec) +
                                     1e-6 * static_cast<double>(end->recorded.tv_nsec - start->recorded.tv_nsec));
  return sticky_error();
}

int leap_function_attribute(const void* kernel, int attribute, int value) {
  if (attribute == 8) {
    if (value < 0) return set_last_error(kInvalidValue);
    return allow_dynamic_shared(kernel, static_cast<size_t>(value));
  }
  return attribute == 9 ? 0 : set_last_error(kInvalidValue);
}
int leap_function_attributes(FunctionAttributes* attributes, const void*) {
  *attributes = FunctionAttributes{};
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = 32;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(kStaticSharedLimit);
  return 0;
}
int leap_occupancy(int* blocks, int block_size, size_t shared_bytes) {
  if (block_size <= 0) return set_last_error(kInvalidValue);
  const int rounded = (block_size + 31) / 32 * 32;
  int most = block_size > 1024 ? 0 : kThreadsPerProcessor / rounded;
  const int by_shared = shared_bytes ? static_cast<int>(kSharedPerProcessor / (shared_bytes + 1024)) : 32;
  if (by_shared < most) most = by_shared;
  *blocks = most < 32 ? most : 32;
  return 0;
}
}
