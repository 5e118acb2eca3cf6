// Faults: the first wrong thing a kernel did, and the CUDA error it leaves behind.
#pragma once

#include <stddef.h>

#include "state.h"

namespace leap {

// Names of fault codes, as runtime.py reports them.
inline constexpr char kIllegalAccess[] = "ILLEGAL_MEMORY_ACCESS";
inline constexpr char kMisaligned[] = "MISALIGNED_ACCESS";
inline constexpr char kDivergentBarrier[] = "DIVERGENT_BARRIER";
inline constexpr char kDataRace[] = "DATA_RACE";
inline constexpr char kBadLaunch[] = "BAD_LAUNCH";
inline constexpr char kDeviceAssert[] = "DEVICE_ASSERT";
inline constexpr char kStackOverflow[] = "STACK_OVERFLOW";
inline constexpr char kDivisionByZero[] = "DIVISION_BY_ZERO";
inline constexpr char kUnwritten[] = "UNWRITTEN_MEMORY";
inline constexpr char kUnsupported[] = "UNSUPPORTED";
// What nvcc refuses, but shows here only when it is executed.
inline constexpr char kCompile[] = "COMPILE_ERROR";

struct FaultSite {
  const char* space = "";
  const void* address = nullptr;
  const void* pc = nullptr;
  leap_place at{nullptr, 0};
};

// Records a fault of the running kernel (the first one of a call is kept) and
// leaves the kernel: control goes back to leap_launch_kernel.
[[noreturn]] void fail(const char* code, const FaultSite& site, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// Records without leaving: for host code, which cannot be unwound.
void record(const char* code, const FaultSite& site, const char* format, ...)
    __attribute__((format(printf, 3, 4)));

// Remembers the call's first read of memory that nobody has written. A GPU reads
// whatever lies there and goes on; so do we, and name the place if the result is wrong.
void remember_unwritten(const FaultSite& site);

bool faulted();                        // a fault has been recorded in this call
const leap_fault& recorded_fault();
const leap_fault& unwritten_read();
void clear_faults();
int sticky_error();                    // cudaError_t that every later API call returns, or 0

// SIGSEGV, SIGBUS and SIGFPE inside a kernel become faults; elsewhere the
// previous handlers act.
void install_signal_handlers();

// Scheduler: drops all fibers of the running kernel and returns to the launch.
[[noreturn]] void abandon_kernel();

}  // namespace leap
