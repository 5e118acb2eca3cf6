#include "fault.h"

#include <dlfcn.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "memory.h"

namespace leap {

namespace {

// A fault and the texts that it points to.
struct Recorded {
  leap_fault fault;
  char message[1024];
  char kernel[256];
  char module[4096];
};
Recorded recorded, unwritten;

int cuda_error_of(const char* code) {
  if (!strcmp(code, kMisaligned)) return 716;
  if (!strcmp(code, kDeviceAssert)) return 710;
  if (!strcmp(code, kDataRace) || !strcmp(code, kDivergentBarrier) || !strcmp(code, kBadLaunch)) return 719;
  return 700;
}

void locate(Recorded& r, const void* pc) {
  Dl_info info;
  if (!pc || !dladdr(pc, &info) || !info.dli_fname) return;
  snprintf(r.module, sizeof r.module, "%s", info.dli_fname);
  r.fault.module = r.module;
  // pc is where the access returns to: one byte back lies in its statement.
  r.fault.offset = static_cast<uint64_t>(static_cast<const char*>(pc) -
                                         static_cast<const char*>(info.dli_fbase)) - 1;
}

void fill_list(Recorded& r, const char* code, const FaultSite& site, const char* format,
               va_list arguments) {
  if (r.fault.code) return;  // the first one is the cause
  vsnprintf(r.message, sizeof r.message, format, arguments);
  snprintf(r.kernel, sizeof r.kernel, "%s", leap_in_kernel ? running.kernel : "");
  r.fault.code = code;
  r.fault.message = r.message;
  r.fault.kernel = r.kernel;
  r.fault.space = site.space;
  r.fault.address = site.address;
  r.fault.at = site.at;
  locate(r, site.pc);
  if (leap_in_kernel) {
    const Uint3 b = leap_block_idx, t = leap_thread_idx;
    r.fault.block[0] = b.x, r.fault.block[1] = b.y, r.fault.block[2] = b.z;
    r.fault.thread[0] = t.x, r.fault.thread[1] = t.y, r.fault.thread[2] = t.z;
  }
}

void fill(Recorded& r, const char* code, const FaultSite& site, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fill_list(r, code, site, format, arguments);
  va_end(arguments);
}

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE};
struct sigaction previous[3];
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
    for (int i = 0; i < 3; ++i) {
      if (kSignals[i] == number) sigaction(number, &previous[i], nullptr);
    }
    return;
  }
  FaultSite site{"", info->si_addr, static_cast<const char*>(program_counter(context)) + 1, {}};
  const char* address = static_cast<const char*>(info->si_addr);
  if (number == SIGFPE) {
    record(kDivisionByZero, site, "integer division by zero (or overflow), which is undefined");
  } else if (address < running.stack && address >= running.stack - 2 * kGuardSize) {
    record(kStackOverflow, site,
           "the thread's stack overflowed (endless recursion or too large local arrays)");
  } else if (number == SIGSEGV && info->si_code == SI_KERNEL) {
    // A vector instruction of the host, on a type that promises its alignment.
    record(kMisaligned, site, "access through a pointer that is not a multiple of its type's alignment");
  } else {
    record(kIllegalAccess, site, "illegal memory access at address %p", info->si_addr);
  }
  redirect(context);
}

}  // namespace

void record(const char* code, const FaultSite& site, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fill_list(recorded, code, site, format, arguments);
  va_end(arguments);
}

void fail(const char* code, const FaultSite& site, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fill_list(recorded, code, site, format, arguments);
  va_end(arguments);
  abandon_kernel();
}

void remember_unwritten(const FaultSite& site) {
  fill(unwritten, kUnwritten, site, "reads %s memory that nobody has written", site.space);
}

bool faulted() { return recorded.fault.code != nullptr; }
const leap_fault& recorded_fault() { return recorded.fault; }
const leap_fault& unwritten_read() { return unwritten.fault; }
void clear_faults() { recorded.fault = unwritten.fault = leap_fault{}; }
int sticky_error() { return recorded.fault.code ? cuda_error_of(recorded.fault.code) : 0; }

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
  for (int i = 0; i < 3; ++i) sigaction(kSignals[i], &action, &previous[i]);
}

}  // namespace leap
