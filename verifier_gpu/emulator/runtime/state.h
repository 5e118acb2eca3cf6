// The state of one process's emulated device. One thread at a time runs kernels.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "../include/leap_emulator.h"

#define LEAP_LIKELY(x) __builtin_expect(!!(x), 1)
#define LEAP_UNLIKELY(x) __builtin_expect(!!(x), 0)

namespace leap {

struct Uint3 {
  unsigned x, y, z;
};

// What runs now; read by the access callbacks, so kept in one cache line.
struct Running {
  const char* kernel = nullptr;
  const char* closure = nullptr;  // the kernel's parameters
  size_t closure_size = 0;
  const char* stack = nullptr;  // the running CUDA thread's own stack
  size_t stack_size = 0;
};
extern Running running;

// Launch and block serial numbers, never reused.
extern uint64_t launch_serial;
extern uint64_t block_serial;

// What memory holds that nobody has written: numbers that no program is likely to
// compute, and that spoil what is computed from them. NaN in every float format; and,
// so that no comparison hides them, huge numbers of both signs.
inline constexpr uint64_t kPoisonForward = 0xFFFEFFFEFFFEFFFEu;
inline constexpr uint64_t kPoisonOther = 0xFEFEFEFE7F7F7F7Fu;

struct Call {
  int order = LEAP_FORWARD;
  uint64_t seed = 0;
  uint64_t poison = kPoisonForward;  // of 8 bytes that start at a multiple of 8
  uint64_t kernels_launched = 0;
};
extern Call call;

}  // namespace leap

extern "C" {
// Read by every kernel stub and by the header's built-in variables, which are
// declared const there so that GCC does not instrument their reads.
extern int leap_in_kernel;
extern leap::Uint3 leap_thread_idx, leap_block_idx, leap_block_dim, leap_grid_dim;
}
