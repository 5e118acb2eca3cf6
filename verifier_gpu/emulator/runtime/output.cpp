// Submissions are linked with --wrap for the functions here, so that device
// code's printf is captured and a failed assert becomes a fault.

#include "output.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fault.h"

namespace leap {
namespace {

char text[65536];
size_t length = 0;

}  // namespace

void clear_output() { length = 0, text[0] = 0; }
const char* output() { return text; }

}  // namespace leap

using namespace leap;

extern "C" {

int __wrap_vprintf(const char* format, va_list arguments) {
  if (!leap_in_kernel) return vprintf(format, arguments);
  const size_t room = sizeof text - length;
  const int n = vsnprintf(text + length, room, format, arguments);
  if (n > 0) length += static_cast<size_t>(n) < room ? static_cast<size_t>(n) : room - 1;
  return n;
}

int __wrap_printf(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int n = __wrap_vprintf(format, arguments);
  va_end(arguments);
  return n;
}

void __wrap___assert_fail(const char* condition, const char* file, unsigned line, const char*) {
  if (leap_in_kernel) {
    fail(kDeviceAssert, {"", nullptr, nullptr, {file, static_cast<int>(line)}},
         "assertion `%s` failed in %s, line %u", condition, file, line);
  }
  fprintf(stderr, "%s:%u: assertion `%s` failed\n", file, line, condition);
  abort();
}

long long leap_ticks(void) {
  static long long ticks = 0;
  return ticks += 16;  // no operation is faster
}

void leap_host_function(const char* name, leap_place at) {
  fail(kCompile, {"", nullptr, nullptr, at},
       "calling a __host__ function(\"%s\") from device code is not allowed", name);
}

void leap_device_trap(const char* message, leap_place at) {
  if (leap_in_kernel) fail(kDeviceAssert, {"", nullptr, nullptr, at}, "%s", message);
  abort();
}
}
