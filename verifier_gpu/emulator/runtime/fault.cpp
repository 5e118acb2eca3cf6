#include "fault.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "memory.h"

namespace leap {

namespace {

leap_fault fault_record;
char fault_message[1024];
char fault_kernel[256];

int cuda_error_of(const char* code) {
  if (!strcmp(code, kMisaligned)) return 716;
  if (!strcmp(code, kDeviceAssert)) return 710;
  if (!strcmp(code, kDivergentBarrier) || !strcmp(code, kBadLaunch)) return 719;
  return 700;
}

void record_list(const char* code, const FaultSite& site, const char* format, va_list arguments) {
  if (fault_record.code) return;  // the first fault is the cause
  vsnprintf(fault_message, sizeof fault_message, format, arguments);
  snprintf(fault_kernel, sizeof fault_kernel, "%s", leap_in_kernel ? running.kernel : "");
  fault_record.code = code;
  fault_record.message = fault_message;
  fault_record.kernel = fault_kernel;
  fault_record.space = site.space;
  fault_record.address = site.address;
  fault_record.pc = site.pc;
  fault_record.line = site.line;
  if (leap_in_kernel) {
    const Uint3 b = leap_block_idx, t = leap_thread_idx;
    fault_record.block[0] = b.x, fault_record.block[1] = b.y, fault_record.block[2] = b.z;
    fault_record.thread[0] = t.x, fault_record.thread[1] = t.y, fault_record.thread[2] = t.z;
  }
}

struct sigaction previous_segv, previous_bus;
alignas(16) char rescue_stack[16384];  // where a fiber continues whose own stack is full

// The signal handler cannot leave by itself: it returns into this function, so
// that the kernel restores the signal mask.
void after_signal() { abandon_kernel(); }

void redirect(void* context) {
  uintptr_t top = reinterpret_cast<uintptr_t>(rescue_stack + sizeof rescue_stack);
  ucontext_t* uc = static_cast<ucontext_t*>(context);
#if defined(__x86_64__)
  uc->uc_mcontext.gregs[REG_RSP] = static_cast<greg_t>(top - 8);
  uc->uc_mcontext.gregs[REG_RIP] = reinterpret_cast<greg_t>(&after_signal);
#else
  uc->uc_mcontext.sp = top;
  uc->uc_mcontext.pc = reinterpret_cast<uintptr_t>(&after_signal);
#endif
}

const void* program_counter(void* context) {
  ucontext_t* uc = static_cast<ucontext_t*>(context);
#if defined(__x86_64__)
  return reinterpret_cast<const void*>(uc->uc_mcontext.gregs[REG_RIP]);
#else
  return reinterpret_cast<const void*>(uc->uc_mcontext.pc);
#endif
}

void on_signal(int number, siginfo_t* info, void* context) {
  if (!leap_in_kernel) {
    // Not ours: let the previous handler (or the default) see the same fault again.
    sigaction(number, number == SIGSEGV ? &previous_segv : &previous_bus, nullptr);
    return;
  }
  FaultSite site{"", info->si_addr, program_counter(context), 0};
  const char* address = static_cast<const char*>(info->si_addr);
  const char* guard_top = running.stack;
  if (address < guard_top && address >= guard_top - 2 * kGuardSize) {
    record(kStackOverflow, site, "the thread's stack overflowed (endless recursion or too large local arrays)");
  } else {
    record(kIllegalAccess, site, "illegal memory access at address %p", info->si_addr);
  }
  redirect(context);
}

}  // namespace

void record(const char* code, const FaultSite& site, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  record_list(code, site, format, arguments);
  va_end(arguments);
}

void fail(const char* code, const FaultSite& site, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  record_list(code, site, format, arguments);
  va_end(arguments);
  abandon_kernel();
}

bool faulted() { return fault_record.code != nullptr; }
const leap_fault& recorded_fault() { return fault_record; }
void clear_fault() { fault_record = leap_fault{}; }
int sticky_error() { return fault_record.code ? cuda_error_of(fault_record.code) : 0; }

void install_signal_handlers() {
  static bool installed = false;
  if (installed) return;
  installed = true;
  static char alternate[65536];
  stack_t stack{};
  stack.ss_sp = alternate;
  stack.ss_size = sizeof alternate;
  sigaltstack(&stack, nullptr);
  struct sigaction action {};
  action.sa_sigaction = on_signal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(SIGSEGV, &action, &previous_segv);
  sigaction(SIGBUS, &action, &previous_bus);
}

}  // namespace leap
