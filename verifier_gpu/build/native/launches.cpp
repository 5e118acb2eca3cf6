// Counts what an extension launches on a real GPU. The linker gives its calls of the CUDA
// runtime's launch functions to these (--wrap), which pass them on; launches of torch's own
// libraries are not seen. Declared here as the CUDA runtime declares them, so that no
// header of CUDA is needed.
#include <stddef.h>

#include <atomic>

namespace {

struct Dim3 {
  unsigned x, y, z;
};
std::atomic<long long> launches{0};

}  // namespace

#define LEAP_VISIBLE __attribute__((visibility("default")))
#define LEAP_COUNT(name, parameters, arguments)                     \
  int name parameters __attribute__((weak)); /* older runtimes lack some */ \
  LEAP_VISIBLE int __wrap_##name parameters {                       \
    launches.fetch_add(1, std::memory_order_relaxed);               \
    return name arguments;                                          \
  }

extern "C" {

LEAP_VISIBLE long long leap_launches() { return launches.load(std::memory_order_relaxed); }

LEAP_COUNT(__cudaLaunchKernel,  // what `k<<<grid, block>>>(x)` calls since CUDA 13
           (void* kernel, Dim3 grid, Dim3 block, void** arguments, size_t shared, void* stream),
           (kernel, grid, block, arguments, shared, stream))
LEAP_COUNT(cudaLaunchKernel,
           (const void* kernel, Dim3 grid, Dim3 block, void** arguments, size_t shared, void* stream),
           (kernel, grid, block, arguments, shared, stream))
LEAP_COUNT(cudaLaunchCooperativeKernel,
           (const void* kernel, Dim3 grid, Dim3 block, void** arguments, size_t shared, void* stream),
           (kernel, grid, block, arguments, shared, stream))
LEAP_COUNT(cudaLaunchKernelExC, (const void* configuration, const void* kernel, void** arguments),
           (configuration, kernel, arguments))
LEAP_COUNT(cudaGraphLaunch, (void* graph, void* stream), (graph, stream))
}
