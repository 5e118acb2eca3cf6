// Launching: the configuration stack, CUDA's limits, and the call's report.

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <map>

#include "fault.h"
#include "launch.h"
#include "memory.h"
#include "modules.h"
#include "output.h"
#include "race.h"
#include "scheduler.h"
#include "shared.h"

int leap_in_kernel = 0;
leap::Uint3 leap_thread_idx, leap_block_idx, leap_block_dim, leap_grid_dim;

namespace leap {

Running running;
uint64_t launch_serial = 0;
uint64_t block_serial = 0;
Call call;

namespace {

struct Configuration {
  Uint3 grid, block;
  size_t shared_bytes;
  const void* stream;
  unsigned most_threads = ~0u;  // of a block, by the kernel's __launch_bounds__
};
constexpr int kMaxNested = 64;  // launches inside the arguments of launches
Configuration configurations[kMaxNested];
int configuration_count = 0;

std::map<const void*, size_t> dynamic_limits;  // kernel -> cudaFuncSetAttribute's value

bool only_asking = false;  // a kernel is called for its __launch_bounds__ alone
unsigned answer = 0;

int last_error = 0;
bool last_is_of_launch = false;
int first_launch_error = 0;
char launch_message[512];
char library_calls[512];

constexpr int kInvalidValue = 1, kInvalidConfiguration = 9, kInvalidHandle = 400,
              kOutOfResources = 701;

void refuse(int error, const char* kernel, const char* format, ...)
    __attribute__((format(printf, 3, 4)));
void refuse(int error, const char* kernel, const char* format, ...) {
  last_error = error;
  last_is_of_launch = true;
  if (first_launch_error) return;
  first_launch_error = error;
  int n = snprintf(launch_message, sizeof launch_message, "kernel %s was not launched: ", kernel);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(launch_message + n, sizeof launch_message - n, format, arguments);
  va_end(arguments);
}

bool within_limits(const char* name, const void* key, const Configuration& c) {
  const Uint3 g = c.grid, b = c.block;
  const uint64_t threads = uint64_t{b.x} * b.y * b.z;
  if (!threads || !g.x || !g.y || !g.z) {
    refuse(kInvalidConfiguration, name, "grid (%u, %u, %u) or block (%u, %u, %u) has a zero", g.x,
           g.y, g.z, b.x, b.y, b.z);
  } else if (b.x > 1024 || b.y > 1024 || b.z > 64 || threads > 1024) {
    refuse(kInvalidConfiguration, name,
           "block (%u, %u, %u) is larger than 1024 threads, or than 1024 x 1024 x 64", b.x, b.y, b.z);
  } else if (g.x > 2147483647u || g.y > 65535 || g.z > 65535) {
    refuse(kInvalidConfiguration, name,
           "grid (%u, %u, %u) is larger than 2147483647 x 65535 x 65535", g.x, g.y, g.z);
  } else if (!stream_lives(c.stream)) {
    refuse(kInvalidHandle, name, "its stream does not exist, or no longer");
  } else if (threads > c.most_threads) {
    refuse(kOutOfResources, name, "a block of %u threads, more than its __launch_bounds__(%u)",
           static_cast<unsigned>(threads), c.most_threads);
  } else {
    auto known = dynamic_limits.find(key);
    const size_t limit = known == dynamic_limits.end() ? kStaticSharedLimit : known->second;
    if (c.shared_bytes <= limit) return true;
    refuse(kInvalidValue, name,
           "%zu bytes of dynamic shared memory, more than %zu%s", c.shared_bytes, limit,
           limit == kStaticSharedLimit ? " (cudaFuncSetAttribute allows up to 232448)" : "");
  }
  return false;
}

}  // namespace

int take_last_error() {
  if (int sticky = sticky_error()) return sticky;
  const int error = last_error;
  last_error = 0;
  return error;
}
int peek_last_error() {
  const int sticky = sticky_error();
  return sticky ? sticky : last_error;
}
int set_last_error(int error) {
  if (error) last_error = error, last_is_of_launch = false;
  return error;
}
void count_library_call(const char* routine) {
  ++call.kernels_launched;
  if (strstr(library_calls, routine)) return;
  const size_t length = strlen(library_calls);
  snprintf(library_calls + length, sizeof library_calls - length, "%s%s", length ? ", " : "", routine);
}
unsigned largest_block(const void* kernel) {
  only_asking = true;
  answer = 1024;
  // The stub returns before it looks at any argument.
  reinterpret_cast<void (*)()>(const_cast<void*>(kernel))();
  only_asking = false;
  return answer;
}
int allow_dynamic_shared(const void* key, size_t nbytes) {
  if (nbytes > kOptInSharedLimit) return set_last_error(kInvalidValue);
  dynamic_limits[key] = nbytes > kStaticSharedLimit ? nbytes : kStaticSharedLimit;
  return 0;
}

}  // namespace leap

using namespace leap;

extern "C" {

const char* cudaGetErrorString(int error);

void leap_push_configuration(const unsigned grid[3], const unsigned block[3], size_t shared_bytes,
                             const void* stream) {
  if (configuration_count == kMaxNested) return;
  configurations[configuration_count++] = {
      {grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, shared_bytes, stream};
}

void leap_bound_launch(unsigned most_threads) {
  if (only_asking) {
    answer = most_threads < 1024 ? most_threads : 1024;
  } else if (configuration_count) {
    configurations[configuration_count - 1].most_threads = most_threads;
  }
}

int leap_only_asking(void) { return only_asking; }

void leap_launch_kernel(const char* name, const void* key, void (*body)(const void*),
                        const void* closure, size_t closure_size) {
  if (!configuration_count) {
    refuse(kInvalidConfiguration, name, "a kernel is called with <<<grid, block>>>");
    return;
  }
  const Configuration configuration = configurations[--configuration_count];
  if (sticky_error() || !within_limits(name, key, configuration)) return;
  if (!reserve_arena()) {
    refuse(2, name, "the emulator may not reserve 64 MiB of address space");
    return;
  }
  install_signal_handlers();
  refresh_modules();
  ++launch_serial;
  ++call.kernels_launched;
  running.kernel = name;
  running.closure = static_cast<const char*>(closure);
  running.closure_size = closure_size;
  auto opt_in = dynamic_limits.find(key);
  begin_launch_shared(configuration.shared_bytes,
                      opt_in == dynamic_limits.end() ? 0 : opt_in->second);
  begin_launch_races();
  leap_in_kernel = 1;
  run_grid({configuration.grid, configuration.block, body, closure});
  leap_in_kernel = 0;
  running = Running{};
}

void leap_begin_call(int order, uint64_t seed) {
  call = Call{};
  call.order = order;
  call.seed = seed;
  call.poison = order == LEAP_FORWARD ? kPoisonForward : kPoisonOther;
  last_error = first_launch_error = 0;
  launch_message[0] = library_calls[0] = 0;
  configuration_count = 0;
  leap_in_kernel = 0;
  begin_call_races();
  clear_faults();
  clear_output();
}

const char* leap_untaken_error(int* of_launch) {
  *of_launch = last_is_of_launch;
  if (!last_error || faulted()) return "";
  return last_is_of_launch ? launch_message : cudaGetErrorString(last_error);
}

void leap_end_call(leap_report* report) {
  report->kernels_launched = call.kernels_launched;
  report->last_launch_error = first_launch_error;
  report->launch_error = launch_message;
  report->printf_text = output();
  report->fault = recorded_fault();
  report->unwritten = unwritten_read();
  report->library_calls = library_calls;
}
}
