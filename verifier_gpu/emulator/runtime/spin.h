// Threads that wait for a value that another thread shall write.
//
// On a GPU the other thread runs meanwhile. Here one thread runs at a time, so a
// thread that reads one place again and again (by atomics or volatile loads) and finds
// the same value lets the other threads of its block run. When they too only spin,
// or have ended, the value can come from another block alone, which waits for this
// one to end: then the kernel is beyond what blocks one after the other can show.
#pragma once

#include <stddef.h>

#include "state.h"

namespace leap {

void begin_block_spins();
void made_progress();  // a thread ended, or threads met

// The running thread accesses n bytes at p, n at most 8, atomically or as volatile.
void watch_spin(const void* p, size_t n, const void* pc, leap_place at);

}  // namespace leap
