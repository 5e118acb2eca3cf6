// The CUDA runtime API, as far as submissions use it. The functions live in
// libleap_emulator.so (runtime/api*.cpp). Everything is synchronous.
#pragma once

#include "leap_kernel.h"

typedef enum cudaError {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInitializationError = 3,
  cudaErrorInvalidConfiguration = 9,
  cudaErrorInvalidSymbol = 13,
  cudaErrorInvalidDevicePointer = 17,
  cudaErrorInvalidMemcpyDirection = 21,
  cudaErrorInvalidDeviceFunction = 98,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
  cudaErrorInvalidResourceHandle = 400,
  cudaErrorNotReady = 600,
  cudaErrorIllegalAddress = 700,
  cudaErrorLaunchOutOfResources = 701,
  cudaErrorAssert = 710,
  cudaErrorMisalignedAddress = 716,
  cudaErrorLaunchFailure = 719,
  cudaErrorNotSupported = 801,
  cudaErrorUnknown = 999
} cudaError_t;

enum cudaMemcpyKind {
  cudaMemcpyHostToHost = 0,
  cudaMemcpyHostToDevice = 1,
  cudaMemcpyDeviceToHost = 2,
  cudaMemcpyDeviceToDevice = 3,
  cudaMemcpyDefault = 4
};

typedef struct leap_event* cudaEvent_t;
enum { cudaStreamDefault = 0, cudaStreamNonBlocking = 1 };
enum { cudaEventDefault = 0, cudaEventBlockingSync = 1, cudaEventDisableTiming = 2 };
enum { cudaHostAllocDefault = 0, cudaHostAllocPortable = 1, cudaHostAllocMapped = 2 };

enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize = 8,
  cudaFuncAttributePreferredSharedMemoryCarveout = 9
};
enum cudaFuncCache {
  cudaFuncCachePreferNone,
  cudaFuncCachePreferShared,
  cudaFuncCachePreferL1,
  cudaFuncCachePreferEqual
};
enum cudaSharedMemConfig {
  cudaSharedMemBankSizeDefault,
  cudaSharedMemBankSizeFourByte,
  cudaSharedMemBankSizeEightByte
};

enum cudaDeviceAttr {
  cudaDevAttrMaxThreadsPerBlock = 1,
  cudaDevAttrMaxBlockDimX = 2,
  cudaDevAttrMaxBlockDimY = 3,
  cudaDevAttrMaxBlockDimZ = 4,
  cudaDevAttrMaxGridDimX = 5,
  cudaDevAttrMaxGridDimY = 6,
  cudaDevAttrMaxGridDimZ = 7,
  cudaDevAttrMaxSharedMemoryPerBlock = 8,
  cudaDevAttrWarpSize = 10,
  cudaDevAttrMaxRegistersPerBlock = 12,
  cudaDevAttrMultiProcessorCount = 16,
  cudaDevAttrMaxThreadsPerMultiProcessor = 39,
  cudaDevAttrComputeCapabilityMajor = 75,
  cudaDevAttrComputeCapabilityMinor = 76,
  cudaDevAttrMaxSharedMemoryPerMultiprocessor = 81,
  cudaDevAttrCooperativeLaunch = 95,
  cudaDevAttrMaxSharedMemoryPerBlockOptin = 97
};

enum cudaLimit {
  cudaLimitStackSize = 0,
  cudaLimitPrintfFifoSize = 1,
  cudaLimitMallocHeapSize = 2,
  cudaLimitMaxL2FetchGranularity = 5,
  cudaLimitPersistingL2CacheSize = 6
};

struct cudaDeviceProp {
  char name[256];
  size_t totalGlobalMem;
  size_t sharedMemPerBlock;
  int regsPerBlock;
  int warpSize;
  int maxThreadsPerBlock;
  int maxThreadsDim[3];
  int maxGridSize[3];
  size_t totalConstMem;
  int major;
  int minor;
  int multiProcessorCount;
  int l2CacheSize;
  int maxThreadsPerMultiProcessor;
  int maxBlocksPerMultiProcessor;
  size_t sharedMemPerMultiprocessor;
  size_t sharedMemPerBlockOptin;
  int regsPerMultiprocessor;
  int memoryBusWidth;
  int concurrentKernels;
  int cooperativeLaunch;
};

struct cudaFuncAttributes {
  size_t sharedSizeBytes;
  size_t constSizeBytes;
  size_t localSizeBytes;
  int maxThreadsPerBlock;
  int numRegs;
  int maxDynamicSharedSizeBytes;
};

extern "C" {
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
const char* cudaGetErrorString(cudaError_t error);
const char* cudaGetErrorName(cudaError_t error);

cudaError_t cudaMalloc(void** p, size_t nbytes);
cudaError_t cudaMallocAsync(void** p, size_t nbytes, cudaStream_t stream);
cudaError_t cudaMallocPitch(void** p, size_t* pitch, size_t width, size_t height);
cudaError_t cudaFree(void* p);
cudaError_t cudaFreeAsync(void* p, cudaStream_t stream);
cudaError_t cudaMallocHost(void** p, size_t nbytes);
cudaError_t cudaHostAlloc(void** p, size_t nbytes, unsigned int flags);
cudaError_t cudaFreeHost(void* p);
cudaError_t cudaHostGetDevicePointer(void** device, void* host, unsigned int flags);
cudaError_t cudaMemcpy(void* to, const void* from, size_t nbytes, cudaMemcpyKind kind);
cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch,
                         size_t width, size_t height, cudaMemcpyKind kind);
cudaError_t cudaMemset(void* p, int value, size_t nbytes);
cudaError_t cudaMemset2D(void* p, size_t pitch, int value, size_t width, size_t height);
cudaError_t cudaMemGetInfo(size_t* available, size_t* total);
cudaError_t leap_copy_to_symbol(void* symbol, size_t symbol_bytes, const void* from, size_t nbytes,
                                size_t offset, cudaMemcpyKind kind);
cudaError_t leap_copy_from_symbol(void* to, const void* symbol, size_t symbol_bytes, size_t nbytes,
                                  size_t offset, cudaMemcpyKind kind);
cudaError_t leap_symbol_address(void** p, void* symbol, size_t symbol_bytes);

cudaError_t cudaDeviceSynchronize(void);
cudaError_t cudaDeviceReset(void);
cudaError_t cudaGetDevice(int* device);
cudaError_t cudaSetDevice(int device);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int device);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaDeviceGetLimit(size_t* value, cudaLimit limit);
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value);
cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest);
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache config);
cudaError_t cudaDeviceSetSharedMemConfig(cudaSharedMemConfig config);

cudaError_t leap_check_stream(cudaStream_t stream);  // whether it lives
cudaError_t cudaStreamCreate(cudaStream_t* stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned int flags);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned int flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned int flags);
cudaError_t cudaEventCreate(cudaEvent_t* event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end);

cudaError_t leap_function_attribute(const void* kernel, int attribute, int value);
cudaError_t leap_function_attributes(cudaFuncAttributes* attributes, const void* kernel);
cudaError_t leap_occupancy(int* blocks, const void* kernel, int block_size, size_t shared_bytes);
int leap_largest_block(const void* kernel);
}

static inline cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t nbytes,
                                          cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
  const cudaError_t error = leap_check_stream(stream);
  return error ? error : cudaMemcpy(to, from, nbytes, kind);
}
static inline cudaError_t cudaMemsetAsync(void* p, int value, size_t nbytes,
                                          cudaStream_t stream = nullptr) {
  const cudaError_t error = leap_check_stream(stream);
  return error ? error : cudaMemset(p, value, nbytes);
}
static inline cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from,
                                            size_t from_pitch, size_t width, size_t height,
                                            cudaMemcpyKind kind, cudaStream_t stream = nullptr) {
  const cudaError_t error = leap_check_stream(stream);
  return error ? error : cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
static inline cudaError_t cudaMemset2DAsync(void* p, size_t pitch, int value, size_t width,
                                            size_t height, cudaStream_t stream = nullptr) {
  const cudaError_t error = leap_check_stream(stream);
  return error ? error : cudaMemset2D(p, pitch, value, width, height);
}
static inline cudaError_t cudaEventRecord(cudaEvent_t event) {
  return cudaEventRecord(event, nullptr);
}
static inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
  return cudaEventCreateWithFlags(event, flags);
}
static inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event) {
  return cudaStreamWaitEvent(stream, event, 0);
}

template <class T>
inline cudaError_t cudaMalloc(T** p, size_t nbytes) {
  return cudaMalloc(reinterpret_cast<void**>(p), nbytes);
}
template <class T>
inline cudaError_t cudaMallocPitch(T** p, size_t* pitch, size_t width, size_t height) {
  return cudaMallocPitch(reinterpret_cast<void**>(p), pitch, width, height);
}
template <class T>
inline cudaError_t cudaMallocAsync(T** p, size_t nbytes, cudaStream_t stream) {
  return cudaMallocAsync(reinterpret_cast<void**>(p), nbytes, stream);
}
template <class T>
inline cudaError_t cudaMallocHost(T** p, size_t nbytes, unsigned int = 0) {
  return cudaMallocHost(reinterpret_cast<void**>(p), nbytes);
}
template <class T>
inline cudaError_t cudaHostGetDevicePointer(T** device, void* host, unsigned int flags) {
  return cudaHostGetDevicePointer(reinterpret_cast<void**>(device), host, flags);
}
template <class T>
inline cudaError_t cudaHostAlloc(T** p, size_t nbytes, unsigned int flags) {
  return cudaHostAlloc(reinterpret_cast<void**>(p), nbytes, flags);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, const void* from, size_t nbytes,
                                      size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
  return leap_copy_to_symbol(const_cast<void*>(reinterpret_cast<const volatile void*>(&symbol)),
                             sizeof(T), from, nbytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, const void* from, size_t nbytes,
                                           size_t offset, cudaMemcpyKind kind,
                                           cudaStream_t = nullptr) {
  return cudaMemcpyToSymbol(symbol, from, nbytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t nbytes, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
  return leap_copy_from_symbol(to, &symbol, sizeof(T), nbytes, offset, kind);
}
template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* to, const T& symbol, size_t nbytes,
                                             size_t offset, cudaMemcpyKind kind,
                                             cudaStream_t = nullptr) {
  return cudaMemcpyFromSymbol(to, symbol, nbytes, offset, kind);
}
template <class T>
inline cudaError_t cudaGetSymbolAddress(void** p, const T& symbol) {
  return leap_symbol_address(p, const_cast<void*>(reinterpret_cast<const volatile void*>(&symbol)),
                             sizeof(T));
}

template <class T>
inline cudaError_t cudaFuncSetAttribute(T* kernel, cudaFuncAttribute attribute, int value) {
  return leap_function_attribute(reinterpret_cast<const void*>(kernel), attribute, value);
}
template <class T>
inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, T* kernel) {
  return leap_function_attributes(attributes, reinterpret_cast<const void*>(kernel));
}
template <class T>
inline cudaError_t cudaFuncSetCacheConfig(T*, cudaFuncCache) {
  return cudaSuccess;
}
template <class T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, T* kernel,
                                                                 int block_size,
                                                                 size_t shared_bytes) {
  return leap_occupancy(blocks, reinterpret_cast<const void*>(kernel), block_size, shared_bytes);
}
template <class T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, T* kernel,
                                                                          int block_size,
                                                                          size_t shared_bytes,
                                                                          unsigned int) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, kernel, block_size, shared_bytes);
}
template <class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* grid, int* block, T* kernel,
                                                      size_t shared_bytes = 0, int limit = 0) {
  const void* const key = reinterpret_cast<const void*>(kernel);
  *block = leap_largest_block(key);
  if (limit > 0 && limit < *block) *block = limit;
  int blocks = 0;
  const cudaError_t error = leap_occupancy(&blocks, key, *block, shared_bytes);
  *grid = 132 * blocks;
  return error;
}

namespace leap {
template <size_t... i>
struct Indices {};
template <size_t n, size_t... i>
struct MakeIndices : MakeIndices<n - 1, n - 1, i...> {};
template <size_t... i>
struct MakeIndices<0, i...> {
  using type = Indices<i...>;
};
template <class T>
struct Unqualified {
  using type = T;
};
template <class T>
struct Unqualified<const T> {
  using type = T;
};

// Calls a kernel through its type, with arguments given by address.
template <class... P, size_t... i>
LEAP_PLAIN inline void call_by_address(void (*kernel)(P...), void** arguments, Indices<i...>) {
  kernel(*static_cast<typename Unqualified<P>::type*>(arguments[i])...);
}
}  // namespace leap

template <class... P>
inline cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void** arguments,
                                    size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  ::leap::configure(grid, block, shared_bytes, stream);
  ::leap::call_by_address(kernel, arguments, typename ::leap::MakeIndices<sizeof...(P)>::type());
  return cudaPeekAtLastError();
}
