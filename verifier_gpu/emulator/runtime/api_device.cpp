// The CUDA runtime API: the device, streams, events, kernel attributes.
//
// The device looks like one GPU of architecture sm_90, so that code which sizes
// its launches by the properties behaves as on the real one.

#include <stdio.h>
#include <string.h>
#include <time.h>

#include <set>

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
  int regsPerBlock, warpSize, maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
  size_t totalConstMem;
  int major, minor, multiProcessorCount, l2CacheSize, maxThreadsPerMultiProcessor,
      maxBlocksPerMultiProcessor;
  size_t sharedMemPerMultiprocessor, sharedMemPerBlockOptin;
  int regsPerMultiprocessor, memoryBusWidth, concurrentKernels, cooperativeLaunch;
};

struct FunctionAttributes {
  size_t sharedSizeBytes, constSizeBytes, localSizeBytes;
  int maxThreadsPerBlock, numRegs, maxDynamicSharedSizeBytes;
};

struct Handle {  // a stream or an event
  timespec recorded;
  bool has_record, is_timed;
};
// Told, and not heeded, by the numbers of cudaLimit: stack, printf's buffer, heap, two of
// kernels that launch kernels, two of the L2 cache.
constexpr int kLimits = 7;
size_t limits[kLimits] = {1024, 1 << 20, 8 << 20, 2, 2048, 128, 0};

std::set<Handle*> streams, events;  // that live

int create(std::set<Handle*>& kind, Handle** handle, bool is_timed) {
  *handle = *kind.insert(new Handle{{}, false, is_timed}).first;
  return sticky_error();
}
int destroy(std::set<Handle*>& kind, Handle* handle) {
  if (!kind.erase(handle)) return set_last_error(kInvalidHandle);
  delete handle;
  return sticky_error();
}
int check_event(Handle* event) {
  return events.count(event) ? sticky_error() : set_last_error(kInvalidHandle);
}

int check_device(int device) { return device == 0 ? 0 : set_last_error(kInvalidDevice); }

}  // namespace

bool leap::stream_lives(const void* stream) {
  // Small numbers are the default stream by its other names.
  return reinterpret_cast<uintptr_t>(stream) <= 2 ||
         streams.count(static_cast<Handle*>(const_cast<void*>(stream)));
}

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
  p->totalConstMem = 65536;
  p->major = 9;
  p->multiProcessorCount = kProcessors;
  p->l2CacheSize = 50 << 20;
  p->maxThreadsPerMultiProcessor = kThreadsPerProcessor;
  p->maxBlocksPerMultiProcessor = 32;
  p->sharedMemPerMultiprocessor = kSharedPerProcessor;
  p->sharedMemPerBlockOptin = kOptInSharedLimit;
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
int cudaDeviceGetLimit(size_t* value, int limit) {
  if (!value || limit < 0 || limit >= kLimits) return set_last_error(kInvalidValue);
  *value = limits[limit];
  return 0;
}
int cudaDeviceSetLimit(int limit, size_t value) {
  if (limit < 0 || limit >= kLimits) return set_last_error(kInvalidValue);
  limits[limit] = value;
  return 0;
}
int cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  *least = 0;
  *greatest = -5;
  return 0;
}
int cudaDeviceSetCacheConfig(int) { return 0; }
int cudaDeviceSetSharedMemConfig(int) { return 0; }

int leap_check_stream(Handle* stream) {
  return stream_lives(stream) ? sticky_error() : set_last_error(kInvalidHandle);
}
int cudaStreamCreate(Handle** stream) { return create(streams, stream, false); }
int cudaStreamCreateWithFlags(Handle** stream, unsigned) { return cudaStreamCreate(stream); }
int cudaStreamCreateWithPriority(Handle** stream, unsigned, int) { return cudaStreamCreate(stream); }
int cudaStreamDestroy(Handle* stream) { return destroy(streams, stream); }
int cudaStreamSynchronize(Handle* stream) { return leap_check_stream(stream); }
int cudaStreamQuery(Handle* stream) { return leap_check_stream(stream); }
int cudaStreamWaitEvent(Handle* stream, Handle* event, unsigned) {
  const int error = leap_check_stream(stream);
  return error ? error : check_event(event);
}
int cudaEventCreate(Handle** event) { return create(events, event, true); }
int cudaEventCreateWithFlags(Handle** event, unsigned flags) {
  return create(events, event, !(flags & 2));
}
int cudaEventDestroy(Handle* event) { return destroy(events, event); }
int cudaEventRecord(Handle* event, Handle* stream) {
  if (int error = leap_check_stream(stream)) return error;
  if (int error = check_event(event)) return error;
  clock_gettime(CLOCK_MONOTONIC, &event->recorded);
  event->has_record = true;
  return 0;
}
int cudaEventSynchronize(Handle* event) { return check_event(event); }
int cudaEventQuery(Handle* event) { return check_event(event); }
int cudaEventElapsedTime(float* milliseconds, Handle* start, Handle* end) {
  for (Handle* event : {start, end}) {
    if (int error = check_event(event)) return error;
    if (!event->has_record || !event->is_timed) return set_last_error(kInvalidHandle);
  }
  *milliseconds = static_cast<float>(1e3 * static_cast<double>(end->recorded.tv_sec - start->recorded.tv_sec) +
                                     1e-6 * static_cast<double>(end->recorded.tv_nsec - start->recorded.tv_nsec));
  return 0;
}

int leap_function_attribute(const void* kernel, int attribute, int value) {
  if (attribute == 8) {
    if (value < 0) return set_last_error(kInvalidValue);
    return allow_dynamic_shared(kernel, static_cast<size_t>(value));
  }
  return attribute == 9 ? 0 : set_last_error(kInvalidValue);
}
int leap_function_attributes(FunctionAttributes* attributes, const void* kernel) {
  *attributes = FunctionAttributes{};
  attributes->maxThreadsPerBlock = static_cast<int>(largest_block(kernel));
  attributes->numRegs = 32;
  attributes->maxDynamicSharedSizeBytes = static_cast<int>(kStaticSharedLimit);
  return 0;
}
int leap_largest_block(const void* kernel) {
  return static_cast<int>(largest_block(kernel));
}
int leap_occupancy(int* blocks, const void* kernel, int block_size, size_t shared_bytes) {
  if (block_size <= 0) return set_last_error(kInvalidValue);
  const int rounded = (block_size + 31) / 32 * 32;
  int most = block_size > leap_largest_block(kernel) ? 0 : kThreadsPerProcessor / rounded;
  const int by_shared = shared_bytes ? static_cast<int>(kSharedPerProcessor / (shared_bytes + 1024)) : 32;
  if (by_shared < most) most = by_shared;
  *blocks = most < 32 ? most : 32;
  return 0;
}
}
