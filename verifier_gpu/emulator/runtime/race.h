// Data races: two threads, one place, at least one plain write, and nothing that
// orders the two accesses.
//
// Every 4 bytes of device memory, shared memory and __device__ variables that a launch touches have a cell
// that remembers the last write and the last two reads by different threads.
// What orders accesses of one block: __syncthreads, __syncwarp, and a fence
// followed by an atomic. Blocks of one launch are ordered only by a fence
// followed by an atomic in the one and an atomic in the other; that publishes what
// its thread did and what a barrier had told it of the others.
//
// Not races: atomics among each other and with plain reads (the start of every
// compare-and-swap loop), and writes that leave the value as it is. Cells of
// smaller types remember which bytes; then a race may be missed, never invented.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "block.h"

namespace leap {

enum class Access { read, write, atomic };

void begin_call_races();  // forgets everything
void begin_launch_races();
void begin_block_races();
void enter_thread_races();   // block.current changed, or its epoch
void finish_thread_races();  // the running thread returns

void order_barrier();                               // all live threads met
void order_warp(unsigned w, unsigned members);      // these lanes met at __syncwarp
void order_fence();                                 // __threadfence by the running thread
void order_atomic();                                // an atomic by the running thread, anywhere

// The running thread accesses n bytes of the arena, which are allocated, or of a
// submission's variable.
void check_race(const void* p, size_t n, Access access, const void* pc, leap_place at);

// The same for a volatile read or write, which is no race: fails where lanes of one warp
// share memory without __syncwarp and rely on running in step.
void check_warp_synchronous(const void* p, size_t n, Access access, const void* pc, leap_place at);

}  // namespace leap
