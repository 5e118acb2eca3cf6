// A fiber: one CUDA thread's stack, switched by a few instructions of assembly.
#pragma once

#include <stddef.h>

namespace leap {

struct Fiber {
  void* stack_pointer = nullptr;  // where the saved registers are, while not running
  char* stack = nullptr;          // lowest usable address, above the guard page
  size_t stack_size = 0;
};

// Saves the callee-saved registers on the running stack and the stack pointer
// in *save, then continues what was saved in `load`.
extern "C" void leap_fiber_switch(void** save, void* load);

// Makes `fiber` (which has a stack) start `entry` when it is switched to.
// `entry` must never return.
void prepare(Fiber& fiber, void (*entry)());

}  // namespace leap
