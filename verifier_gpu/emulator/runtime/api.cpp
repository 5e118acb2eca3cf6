// The CUDA runtime API: errors, memory and copies.

#include <string.h>

#include <map>

#include "fault.h"
#include "launch.h"
#include "memory.h"
#include "modules.h"

using namespace leap;

namespace {

constexpr int kInvalidValue = 1, kMemoryAllocation = 2, kInvalidSymbol = 13, kInvalidDirection = 21,
              kInvalidHandle = 400;

struct ErrorText {
  int code;
  const char *name, *text;
};
constexpr ErrorText kErrors[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {3, "cudaErrorInitializationError", "initialization error"},
    {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {13, "cudaErrorInvalidSymbol", "invalid device symbol"},
    {17, "cudaErrorInvalidDevicePointer", "invalid device pointer"},
    {21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy"},
    {98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {100, "cudaErrorNoDevice", "no CUDA-capable device is detected"},
    {101, "cudaErrorInvalidDevice", "invalid device ordinal"},
    {400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {600, "cudaErrorNotReady", "device not ready"},
    {700, "cudaErrorIllegalAddress", "an illegal memory access was encountered"},
    {701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {710, "cudaErrorAssert", "device-side assert triggered"},
    {716, "cudaErrorMisalignedAddress", "misaligned address"},
    {719, "cudaErrorLaunchFailure", "unspecified launch failure"},
    {801, "cudaErrorNotSupported", "operation not supported"},
};

const ErrorText& error_text(int code) {
  static constexpr ErrorText unknown{999, "cudaErrorUnknown", "unknown error"};
  for (const ErrorText& e : kErrors) {
    if (e.code == code) return e;
  }
  return unknown;
}

bool in_arena(const void* p) { return arena.base && arena_offset(p) < arena.size; }

// Variables of the submission whose device addresses it has asked for, with their sizes.
std::map<const char*, size_t> symbols;

bool in_symbol(const void* p, size_t nbytes) {
  const char* const start = static_cast<const char*>(p);
  auto next = symbols.upper_bound(start);
  if (next == symbols.begin()) return false;
  const auto& [symbol, size] = *std::prev(next);
  const size_t offset = static_cast<size_t>(start - symbol);
  return offset <= size && nbytes <= size - offset;
}

// Whether the submission itself holds the variable, and not a copy or its address.
bool is_symbol(const void* symbol) {
  refresh_modules();
  return in_module_data(symbol, 1);
}

// A range of the candidate's: device memory must be allocated, host memory is trusted.
bool valid(const void* p, size_t nbytes, bool device) {
  if (!device) return host_may_access(p, nbytes);
  return leap_device_range_valid(p, nbytes) || in_symbol(p, nbytes);
}

// Which sides of a copy are device memory; false for a kind that does not exist.
bool sides(int kind, const void* to, const void* from, bool* to_device, bool* from_device) {
  if (kind < 0 || kind > 4) return false;
  *to_device = kind == 4 ? in_arena(to) : kind == 1 || kind == 3;
  *from_device = kind == 4 ? in_arena(from) : kind >= 2;
  return true;
}

int copy(void* to, const void* from, size_t nbytes, int kind) {
  if (int sticky = sticky_error()) return sticky;
  bool to_device, from_device;
  if (!sides(kind, to, from, &to_device, &from_device)) return set_last_error(kInvalidDirection);
  if (!nbytes) return 0;
  if (!to || !from || !valid(to, nbytes, to_device) || !valid(from, nbytes, from_device)) {
    return set_last_error(kInvalidValue);
  }
  memmove(to, from, nbytes);
  return 0;
}

}  // namespace

extern "C" {

int cudaGetLastError(void) { return take_last_error(); }
int cudaPeekAtLastError(void) { return peek_last_error(); }
const char* cudaGetErrorString(int error) { return error_text(error).text; }
const char* cudaGetErrorName(int error) { return error_text(error).name; }

int cudaMalloc(void** p, size_t nbytes) {
  if (int sticky = sticky_error()) return sticky;
  if (!p) return set_last_error(kInvalidValue);
  *p = allocate(nbytes, Owner::cuda_malloc);
  return *p || !nbytes ? 0 : set_last_error(kMemoryAllocation);
}
int cudaMallocAsync(void** p, size_t nbytes, void* stream) {
  return stream_lives(stream) ? cudaMalloc(p, nbytes) : set_last_error(kInvalidHandle);
}
int cudaMallocPitch(void** p, size_t* pitch, size_t width, size_t height) {
  *pitch = (width + 511) / 512 * 512;
  return cudaMalloc(p, *pitch * height);
}
int cudaFree(void* p) {
  if (int sticky = sticky_error()) return sticky;
  return release(p, Owner::cuda_malloc) ? 0 : set_last_error(kInvalidValue);
}
int cudaFreeAsync(void* p, void* stream) {
  return stream_lives(stream) ? cudaFree(p) : set_last_error(kInvalidHandle);
}
int cudaMallocHost(void** p, size_t nbytes) {
  if (int sticky = sticky_error()) return sticky;
  *p = allocate(nbytes, Owner::cuda_malloc_host);
  return *p || !nbytes ? 0 : set_last_error(kMemoryAllocation);
}
int cudaHostAlloc(void** p, size_t nbytes, unsigned) { return cudaMallocHost(p, nbytes); }
int cudaFreeHost(void* p) {
  if (int sticky = sticky_error()) return sticky;
  return release(p, Owner::cuda_malloc_host) ? 0 : set_last_error(kInvalidValue);
}

int cudaMemcpy(void* to, const void* from, size_t nbytes, int kind) {
  return copy(to, from, nbytes, kind);
}
int cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                 size_t height, int kind) {
  if (width > to_pitch || width > from_pitch) return set_last_error(kInvalidValue);
  for (size_t row = 0; row < height; ++row) {
    if (int error = copy(static_cast<char*>(to) + row * to_pitch,
                         static_cast<const char*>(from) + row * from_pitch, width, kind)) {
      return error;
    }
  }
  return 0;
}
int cudaMemset(void* p, int value, size_t nbytes) {
  if (int sticky = sticky_error()) return sticky;
  if (!nbytes) return 0;
  if (!valid(p, nbytes, true)) return set_last_error(kInvalidValue);
  memset(p, value, nbytes);
  return 0;
}
int cudaMemset2D(void* p, size_t pitch, int value, size_t width, size_t height) {
  if (width > pitch) return set_last_error(kInvalidValue);
  for (size_t row = 0; row < height; ++row) {
    if (int error = cudaMemset(static_cast<char*>(p) + row * pitch, value, width)) return error;
  }
  return 0;
}
int cudaMemGetInfo(size_t* available, size_t* total) {
  size_t used;
  leap_device_memory(&used, total);
  *available = *total - used;
  return 0;
}

int cudaHostGetDevicePointer(void** device, void* host, unsigned) {
  if (!host || !leap_device_range_valid(host, 1)) return set_last_error(kInvalidValue);
  *device = host;
  return 0;
}

// Symbols are ordinary variables of the submission; copies to them are checked by size.
int leap_copy_to_symbol(void* symbol, size_t symbol_bytes, const void* from, size_t nbytes,
                        size_t offset, int kind) {
  if (int sticky = sticky_error()) return sticky;
  if (kind == 0 || kind == 2 || kind > 4) return set_last_error(kInvalidDirection);
  if (!is_symbol(symbol)) return set_last_error(kInvalidSymbol);
  if (offset > symbol_bytes || nbytes > symbol_bytes - offset ||
      !valid(from, nbytes, kind == 4 ? in_arena(from) : kind == 3)) {
    return set_last_error(kInvalidValue);
  }
  memcpy(static_cast<char*>(symbol) + offset, from, nbytes);
  return 0;
}
int leap_copy_from_symbol(void* to, const void* symbol, size_t symbol_bytes, size_t nbytes,
                          size_t offset, int kind) {
  if (int sticky = sticky_error()) return sticky;
  if (kind == 0 || kind == 1 || kind > 4) return set_last_error(kInvalidDirection);
  if (!is_symbol(symbol)) return set_last_error(kInvalidSymbol);
  if (offset > symbol_bytes || nbytes > symbol_bytes - offset ||
      !valid(to, nbytes, kind == 4 ? in_arena(to) : kind == 3)) {
    return set_last_error(kInvalidValue);
  }
  memcpy(to, static_cast<const char*>(symbol) + offset, nbytes);
  return 0;
}
int leap_symbol_address(void** p, void* symbol, size_t symbol_bytes) {
  if (!is_symbol(symbol)) return set_last_error(kInvalidSymbol);
  symbols[static_cast<char*>(symbol)] = symbol_bytes;
  *p = symbol;
  return 0;
}
}
