// How a block runs.
//
// A worker fiber starts one thread after the other in the block's order, on one
// stack, as a plain loop. Only when a thread has to wait (a barrier, a warp
// operation) does it keep the fiber, and another worker goes on with the threads
// not yet started. So kernels without barriers never switch, and no analysis of
// the kernel is needed. When nobody can run, either a barrier is complete, or a
// warp operation is, or the threads wait for each other: DIVERGENT_BARRIER.

#include "scheduler.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "block.h"
#include "fault.h"
#include "memory.h"
#include "permutation.h"
#include "race.h"
#include "shared.h"
#include "spin.h"

namespace leap {

Block block;

namespace {

constexpr size_t kStackSize = 576 * 1024;  // a GPU's thread has up to 512 KiB of local memory

struct Worker {
  Fiber fiber;
  bool fresh = true;  // nothing of it has run since the launch began
};

Worker workers[kMaxThreads + 1];
int worker_count = 0;
int idle_workers[kMaxThreads + 1];
int idle_count = 0;
int current_worker = -1;
void* launch_stack_pointer = nullptr;  // leap_launch_kernel's own stack

const LaunchShape* shape = nullptr;
uint64_t next_block = 0, block_count = 0;
Permutation block_order, thread_order;
unsigned next_thread = 0;

unsigned ready[kMaxThreads];  // ring of threads that may continue
unsigned ready_head = 0, ready_size = 0;

unsigned stepped_back[kMaxThreads];  // threads that let the others run first
unsigned stepped_back_count = 0;

void push_ready(unsigned index) {
  block.threads[index].state = ThreadState::ready;
  ready[(ready_head + ready_size++) % kMaxThreads] = index;
}

void work();

int new_worker() {
  if (worker_count > static_cast<int>(kMaxThreads)) abort();
  const int index = worker_count++;
  Worker& worker = workers[index];
  if (!worker.fiber.stack) {
    void* memory = mmap(nullptr, kGuardSize + kStackSize, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
      fprintf(stderr, "leap emulator: no memory for a fiber's stack\n");
      abort();
    }
    mprotect(memory, kGuardSize, PROT_NONE);
    worker.fiber.stack = static_cast<char*>(memory) + kGuardSize;
    // Stacks start at different lines of a page, or their tops share one cache set.
    worker.fiber.stack_size = kStackSize - (index % 24) * 128;
  }
  worker.fresh = true;
  return index;
}

void switch_to(int index) {
  Worker& worker = workers[index];
  void** save = current_worker < 0 ? &launch_stack_pointer
                                   : &workers[current_worker].fiber.stack_pointer;
  current_worker = index;
  running.stack = worker.fiber.stack;
  running.stack_size = worker.fiber.stack_size;
  if (worker.fresh) {
    worker.fresh = false;
    prepare(worker.fiber, work);
  }
  leap_fiber_switch(save, worker.fiber.stack_pointer);
}

void switch_to_launch() {
  void** save = &workers[current_worker].fiber.stack_pointer;
  current_worker = -1;
  running.stack_size = 0;
  leap_fiber_switch(save, launch_stack_pointer);
}

void enter_thread(unsigned index) {
  block.current = index;
  leap_thread_idx = block.threads[index].idx;
  enter_thread_races();
}

void start_block() {
  const uint64_t index = block_order(next_block++);
  leap_block_idx = {static_cast<unsigned>(index % shape->grid.x),
                    static_cast<unsigned>(index / shape->grid.x % shape->grid.y),
                    static_cast<unsigned>(index / shape->grid.x / shape->grid.y)};
  ++block_serial;
  block.live = block.size;
  block.at_barrier = 0;
  next_thread = 0;
  thread_order.next();
  for (unsigned w = 0; w * kWarpSize < block.size; ++w) block.warps[w].start(block.size - w * kWarpSize);
  begin_block_shared();
  begin_block_races();
  begin_block_spins();
}

// Nobody can run: brings back who stepped back, else completes what is complete.
// False if nothing is.
bool resolve() {
  if (stepped_back_count) {
    for (unsigned i = 0; i < stepped_back_count; ++i) push_ready(stepped_back[i]);
    stepped_back_count = 0;
    return true;
  }
  if (block.at_barrier == block.live && complete_barrier()) {
    block.at_barrier = 0;
    order_barrier();
    made_progress();
    thread_order.next();
    for (unsigned i = 0; i < block.size; ++i) {
      const unsigned index = static_cast<unsigned>(thread_order(i));
      if (block.threads[index].state == ThreadState::at_barrier) push_ready(index);
    }
    return true;
  }
  bool any = false;
  for (unsigned w = 0; w * kWarpSize < block.size; ++w) any |= complete_warp(w, /*idle=*/true);
  return any;
}

// The loop of a worker: finishes threads until the grid is done.
void work() {
  for (;;) {
    if (ready_size) {
      const unsigned index = ready[ready_head];
      ready_head = (ready_head + 1) % kMaxThreads, --ready_size;
      idle_workers[idle_count++] = current_worker;
      enter_thread(index);
      switch_to(block.threads[index].worker);
    } else if (next_thread < block.size) {
      const unsigned index = static_cast<unsigned>(thread_order(next_thread++));
      Thread& thread = block.threads[index];
      thread.state = ThreadState::running;
      enter_thread(index);
      shape->body(shape->closure);
      finish_thread_races();
      thread.state = ThreadState::exited;
      --block.live;
      made_progress();
      block.warps[index / kWarpSize].live &= ~(1u << index % kWarpSize);
    } else if (block.live == 0) {
      if (next_block == block_count) {
        switch_to_launch();
      } else {
        start_block();
      }
    } else if (!resolve()) {
      report_divergence();
    }
  }
}

}  // namespace

void wake(unsigned index) { push_ready(index); }

// The running thread has set its state to a waiting one; returns when it may go on.
void wait() {
  const unsigned self = block.current;
  block.threads[self].worker = current_worker;
  for (;;) {
    if (ready_size) {
      const unsigned index = ready[ready_head];
      ready_head = (ready_head + 1) % kMaxThreads, --ready_size;
      enter_thread(index);
      if (index != self) switch_to(block.threads[index].worker);
      break;
    }
    if (next_thread < block.size) {
      switch_to(idle_count ? idle_workers[--idle_count] : new_worker());
      break;
    }
    if (!resolve()) report_divergence();
  }
  block.threads[self].state = ThreadState::running;
}

void let_others_run() {
  stepped_back[stepped_back_count++] = block.current;
  wait();
}

void abandon_kernel() {
  void* ignored;
  current_worker = -1;
  running.stack_size = 0;
  leap_fiber_switch(&ignored, launch_stack_pointer);
  __builtin_unreachable();
}

void run_grid(const LaunchShape& launch) {
  shape = &launch;
  next_block = 0;
  block_count = uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z;
  block.size = launch.block.x * launch.block.y * launch.block.z;
  leap_block_dim = launch.block;
  leap_grid_dim = launch.grid;
  const uint64_t seed = call.seed * 0x9E3779B97F4A7C15u + call.kernels_launched;
  block_order = Permutation(block_count, call.order, seed);
  thread_order = Permutation(block.size, call.order, seed ^ 0x5DEECE66Du);
  for (unsigned i = 0; i < block.size; ++i) {
    block.threads[i].idx = {i % launch.block.x, i / launch.block.x % launch.block.y,
                            i / launch.block.x / launch.block.y};
  }
  worker_count = idle_count = 0;
  ready_head = ready_size = stepped_back_count = 0;
  current_worker = -1;
  start_block();
  switch_to(new_worker());
}

}  // namespace leap
