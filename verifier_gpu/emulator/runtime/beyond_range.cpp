// Conversions of floating point to integers beyond their range. C++ leaves them undefined; a
// GPU saturates and a CPU does as it pleases, so that what a kernel makes of them here says
// nothing about a GPU. `-fsanitize=float-cast-overflow` calls this before each; the layouts
// are libubsan's.

#include <math.h>
#include <string.h>

#include <limits>

#include "fault.h"

namespace {

struct TypeDescriptor {
  uint16_t kind;  // 0: an integer, 1: floating point
  uint16_t info;  // of an integer: 2 * log2(bits) + whether it is signed; else the bits
  char name[1];   // between quotes
};

struct Conversion {
  leap_place at;  // followed by the column, in the padding
  const TypeDescriptor *from, *to;
};

double decode(const TypeDescriptor* type, uintptr_t bits) {
  if (type->info == 32) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return static_cast<double>(value);
  }
  if (type->info == 64) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
  }
  return static_cast<double>(NAN);  // wider ones exist on the host only
}

// What a GPU makes of it: narrow types go through 32 bits, which saturate; NaN is 0.
template <class T, class Wide>
bool same_on_gpu(double value) {
  using Limits = std::numeric_limits<Wide>;
  if (sizeof(T) == 8) return false;
  volatile double source = value;
  const T here = static_cast<T>(source);
  Wide there = 0;
  if (value >= static_cast<double>(Limits::max())) there = Limits::max();
  else if (value <= static_cast<double>(Limits::min())) there = Limits::min();
  else if (value == value) there = static_cast<Wide>(value);
  return here == static_cast<T>(there);
}

bool same_on_gpu(const TypeDescriptor* to, double value) {
  switch (to->info) {
    case 3 * 2 + 1: return same_on_gpu<int8_t, int32_t>(value);
    case 3 * 2: return same_on_gpu<uint8_t, uint32_t>(value);
    case 4 * 2 + 1: return same_on_gpu<int16_t, int32_t>(value);
    case 4 * 2: return same_on_gpu<uint16_t, uint32_t>(value);
    case 5 * 2 + 1: return same_on_gpu<int32_t, int32_t>(value);
    case 5 * 2: return same_on_gpu<uint32_t, uint32_t>(value);
    default: return false;
  }
}

}  // namespace

extern "C" {

void __ubsan_handle_float_cast_overflow(Conversion* conversion, uintptr_t bits) {
  // After a read of unwritten memory the value is the poison's, and the read is the fault.
  if (!leap_in_kernel || leap::unwritten_read().code) return;
  const double value = decode(conversion->from, bits);
  if (same_on_gpu(conversion->to, value)) return;
  leap::fail(leap::kUnsupported, {"", nullptr, __builtin_return_address(0), conversion->at},
             "conversion of %g to %s, which is beyond its range", value, conversion->to->name);
}
}
