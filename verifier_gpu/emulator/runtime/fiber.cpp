#include "fiber.h"

#include <stdint.h>
#include <string.h>

namespace leap {

#if defined(__x86_64__)

void prepare(Fiber& fiber, void (*entry)()) {
  // Six saved registers, then the address that `ret` jumps to. At a function's
  // first instruction rsp is 8 modulo 16, as after a call.
  uintptr_t top = (reinterpret_cast<uintptr_t>(fiber.stack) + fiber.stack_size) & ~uintptr_t{15};
  void** frame = reinterpret_cast<void**>(top) - 8;
  memset(frame, 0, 8 * sizeof(void*));
  frame[6] = reinterpret_cast<void*>(entry);
  fiber.stack_pointer = frame;
}

#elif defined(__aarch64__)

void prepare(Fiber& fiber, void (*entry)()) {
  uintptr_t top = (reinterpret_cast<uintptr_t>(fiber.stack) + fiber.stack_size) & ~uintptr_t{15};
  char* frame = reinterpret_cast<char*>(top) - 160;
  memset(frame, 0, 160);
  reinterpret_cast<void**>(frame)[11] = reinterpret_cast<void*>(entry);  // x30
  fiber.stack_pointer = frame;
}

#else
#error "the emulator's fibers know x86-64 and aarch64 only"
#endif

}  // namespace leap
