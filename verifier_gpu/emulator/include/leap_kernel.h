// What the rewritten text is made of: launches, kernel stubs, shared memory.
//
//   k<4><<<grid, block>>>(x, n)   becomes   (::leap::configure(grid, block), k<4>(x, n))
//   __global__ void k(float* x, int n) { ...
//                                 becomes   ... { LEAP_KERNEL(k, (k), LEAP_TYPE(x), ...
//   __shared__ float a[8];        becomes   float (&a)[8] = LEAP_SHARED;
//   extern __shared__ float s[];  becomes   float (*s) = LEAP_SHARED_DYNAMIC;
//
// A kernel called from host code thus launches itself: C++ does the argument
// conversions, overload resolution and template deduction, as with nvcc's stubs.
#pragma once

#include <time.h>

#include "leap_emulator.h"
#include "leap_types.h"

#define __host__
#define __device__
#define __global__ __attribute__((noinline))
#define __constant__
#define __grid_constant__
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __align__(n) __attribute__((aligned(n)))
#define LEAP_NOINLINE  // what is inlined is checked best (see toolchain.py)
#define LEAP_PLAIN __attribute__((no_sanitize_thread))  // no access callbacks in this function

#define __CUDACC__ 1
#define __CUDA_ARCH__ 900
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define CUDART_VERSION 13000
#define CUDA_VERSION 13000
#define __builtin_assume(condition) static_cast<void>(0)

typedef struct leap_stream* cudaStream_t;

extern "C" {
extern const int leap_in_kernel;
}

// const: GCC does not instrument reads of const objects, and a thread's never change.
extern const uint3 threadIdx __asm__("leap_thread_idx");
extern const uint3 blockIdx __asm__("leap_block_idx");
extern const dim3 blockDim __asm__("leap_block_dim");
extern const dim3 gridDim __asm__("leap_grid_dim");
static const int warpSize = 32;

namespace leap {

LEAP_PLAIN inline void configure(dim3 grid, dim3 block = 1, size_t shared_bytes = 0,
                                 cudaStream_t stream = nullptr) {
  const unsigned int g[3] = {grid.x, grid.y, grid.z}, b[3] = {block.x, block.y, block.z};
  leap_push_configuration(g, b, shared_bytes, stream);
}

// How the runtime calls a launch's closure.
template <class Closure>
struct Body {
  LEAP_PLAIN static void call(const void* closure) { (*static_cast<const Closure*>(closure))(); }
};

// A parameter's type as it is part of the function's type: no top-level qualifiers.
// (GCC keeps __restrict__ where the type depends on a template parameter.)
template <class T>
struct Parameter {
  using type = T;
};
template <class T>
struct Parameter<const T> {
  using type = T;
};
template <class T>
struct Parameter<T* __restrict__> {
  using type = T*;
};
template <class T>
struct Parameter<T* const __restrict__> {
  using type = T*;
};

template <class T>
struct IsRvalue {
  static constexpr bool value = false;
};
template <class T>
struct IsRvalue<T&&> {
  static constexpr bool value = true;
};

// What a kernel's parameters are to CUDA: ``F`` is void(their types).
template <class F>
struct Parameters;
template <class... T>
struct Parameters<void(T...)> {
  template <class U>
  struct Stored {
    U value;
  };
  static constexpr bool has_rvalue = (IsRvalue<T>::value || ...);
  static constexpr size_t bytes() {
    size_t end = 0;
    ((end = (end + alignof(Stored<T>) - 1) / alignof(Stored<T>) * alignof(Stored<T>) +
            sizeof(Stored<T>)),
     ...);
    return end;
  }
};

// Assertions in nvcc's own words begin with "nvcc: " (see build/nvcc_words.py).

// Whether one of the types is made of a lambda, as the compiler spells it.
template <class... T>
constexpr bool has_lambda() {
  for (const char* p = __PRETTY_FUNCTION__; *p; ++p) {
    if (p[0] == '<' && p[1] == 'l' && p[2] == 'a' && p[3] == 'm' && p[4] == 'b') return true;
  }
  return false;
}

// Converts to a reference to whatever type the declaration has.
struct SharedReference {
  leap_shared_slot* slot;
  template <class T>
  LEAP_PLAIN operator T&() const {
    static_assert(sizeof(T) <= 49152, "nvcc: a kernel uses too much shared data (0xc000 bytes max)");
    return *static_cast<T*>(leap_shared_static(slot, sizeof(T)));
  }
};

struct SharedPointer {
  template <class T>
  LEAP_PLAIN operator T*() const {
    return static_cast<T*>(leap_shared_dynamic());
  }
};

// For `extern __shared__` at namespace scope: one pointer that every launch sets.
struct SharedPointerReference {
  template <class T>
  LEAP_PLAIN operator T*&() const {
    return reinterpret_cast<T*&>(leap_shared_dynamic_pointer);
  }
};

}  // namespace leap

#define LEAP_TYPE(x) typename ::leap::Parameter<decltype(x)>::type
// The captures: parameters are copied, but a reference stays one to what the host has.
#define LEAP_KERNEL(name, self, types, arguments, ...)                            \
  static_assert(!::leap::Parameters<void types>::has_rvalue,                      \
                "nvcc: a __global__ function cannot have a parameter with rvalue reference type"); \
  static_assert(::leap::Parameters<void types>::bytes() <= 32764,                 \
                "nvcc: Formal parameter space overflowed (max 32764 bytes allowed)");   \
  if (!leap_in_kernel) {                                                          \
    if (leap_only_asking()) return;                                               \
    auto leap_self = static_cast<void(*) types>(self);                            \
    auto leap_body = [__VA_ARGS__]() LEAP_PLAIN { leap_self arguments; };         \
    leap_launch_kernel(#name, reinterpret_cast<const void*>(leap_self),           \
                       ::leap::Body<decltype(leap_body)>::call, &leap_body,       \
                       sizeof leap_body);                                         \
    return;                                                                       \
  }

#define LEAP_NO_LAMBDAS(...)                                                             \
  static_assert(!::leap::has_lambda<__VA_ARGS__>(),                                      \
                "nvcc: The closure type for a lambda cannot be used in the template argument " \
                "type of a __global__ function");
// At the start of a member function that is not marked for the device.
#define LEAP_HOST_ONLY(name) \
  if (leap_in_kernel) leap_host_function(name, {__FILE__, __LINE__})

#define LEAP_LAUNCH_BOUNDS(most)                               \
  if (!leap_in_kernel) {                                       \
    constexpr auto leap_most = static_cast<unsigned int>(most); \
    leap_bound_launch(leap_most);                              \
  }

#define LEAP_SHARED                        \
  ::leap::SharedReference {                      \
    []() LEAP_PLAIN {                            \
      static leap_shared_slot slot{{__FILE__, __LINE__}, nullptr, 0, 0}; \
      return &slot;                              \
    }()                                          \
  }
#define LEAP_SHARED_DYNAMIC ::leap::SharedPointer{}
#define LEAP_SHARED_DYNAMIC_GLOBAL ::leap::SharedPointerReference{}

// Default argument: the place of the call.
#define LEAP_HERE \
  { __builtin_FILE(), __builtin_LINE() }

// ---- Barriers and fences ----------------------------------------------------
static inline void __syncthreads(leap_place at = LEAP_HERE) { leap_barrier(LEAP_SYNC, 0, at); }
static inline int __syncthreads_count(int predicate, leap_place at = LEAP_HERE) {
  return leap_barrier(LEAP_SYNC_COUNT, predicate, at);
}
static inline int __syncthreads_and(int predicate, leap_place at = LEAP_HERE) {
  return leap_barrier(LEAP_SYNC_AND, predicate, at);
}
static inline int __syncthreads_or(int predicate, leap_place at = LEAP_HERE) {
  return leap_barrier(LEAP_SYNC_OR, predicate, at);
}
static inline void __threadfence() { leap_fence(); }
static inline void __threadfence_block() { leap_fence(); }
static inline void __threadfence_system() { leap_fence(); }
// Clocks that go on at every look; clock() is the C library's outside a kernel.
static inline long long clock64() { return leap_ticks(); }
static inline clock_t leap_clock() {
  return leap_in_kernel ? static_cast<clock_t>(leap_ticks()) : clock();
}
static inline void __trap(leap_place at = LEAP_HERE) { leap_device_trap("__trap()", at); }
