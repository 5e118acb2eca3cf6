// The running block: its threads, what they wait for, and its warps.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "fiber.h"
#include "state.h"

namespace leap {

inline constexpr unsigned kMaxThreads = 1024;
inline constexpr unsigned kWarpSize = 32;

enum class ThreadState : uint8_t { running, ready, at_barrier, at_warp, exited };

struct Thread {
  Uint3 idx;
  ThreadState state;
  int worker;  // whose fiber holds its stack while it waits
  leap_place at;  // the barrier or warp operation it waits at
  // What it brought to the barrier or warp operation, and what it gets back.
  int kind, argument, width;
  unsigned mask;
  uint64_t value, result;
  uint64_t path;  // the calls that led to an __activemask
};

struct Warp {
  unsigned live;     // lanes that have not exited
  unsigned waiting;  // lanes at a warp operation
  void start(unsigned lanes) {
    live = lanes >= kWarpSize ? ~0u : (1u << lanes) - 1;
    waiting = 0;
  }
};

struct Block {
  unsigned size;        // threads
  unsigned live;        // threads that have not exited
  unsigned at_barrier;  // threads waiting at __syncthreads
  unsigned current;     // the running thread
  Thread threads[kMaxThreads];
  Warp warps[kMaxThreads / kWarpSize];
};
extern Block block;

inline bool same_place(leap_place a, leap_place b) { return a.line == b.line && a.file == b.file; }

// Scheduler.
void wait();                // the running thread waits until woken
void wake(unsigned index);  // lets a waiting thread continue
void let_others_run();      // the running thread goes on when all others wait or have run

// Barrier: every live thread is at one. Computes the results; false if they are
// at different ones.
bool complete_barrier();

// Warp: completes what can be completed in warp w, waking its lanes. `idle` says
// that no thread of the block can run.
bool complete_warp(unsigned w, bool idle);

// Live threads wait for each other.
[[noreturn]] void report_divergence();

}  // namespace leap
