// cuBLAS: handles and their settings, scalars, and the checks of operands in memory.

#include "blas.h"

#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <set>

#include "fault.h"
#include "launch.h"
#include "memory.h"

namespace leap {
namespace blas {
namespace {

std::set<const cublasContext*>& handles() {
  static auto* all = new std::set<const cublasContext*>;
  return *all;
}

bool in_arena(const void* p) { return arena.base && arena_offset(p) < arena.size; }

FaultSite site_of(const Routine& routine, const void* p) {
  return {in_arena(p) ? "global" : "host", p, nullptr, routine.at};
}

// Of an address that the device cannot reach as the routine wants to.
void refuse(const Routine& routine, const char* verb, const char* name, const void* p) {
  const FaultSite site = site_of(routine, p);
  if (!p) return record(kIllegalAccess, site, "%s is given a null pointer for %s", routine.name, name);
  if (!in_arena(p)) {
    return record(kIllegalAccess, site, "%s is given a host pointer for %s", routine.name, name);
  }
  const Allocation a = nearest_allocation(p);
  const long long offset = a.address ? static_cast<const char*>(p) - a.address : 0;
  if (!a.address || !a.live) {
    return record(kIllegalAccess, site, "%s %s %s in freed device memory", routine.name, verb, name);
  }
  record(kIllegalAccess, site, "%s %s %s at byte offset %lld of an allocation of %zu bytes",
         routine.name, verb, name, offset, a.nbytes);
}

}  // namespace

size_t size_of(int type) {
  return type == kDouble ? 8 : type == kFloat ? 4 : type == kHalf || type == kBfloat16 ? 2 : 0;
}

double read(const void* p, int type) {
  uint16_t bits;
  float single;
  double value;
  switch (type) {
    case kDouble: memcpy(&value, p, 8); return value;
    case kFloat: memcpy(&single, p, 4); return single;
    default: memcpy(&bits, p, 2); return type == kHalf ? widen<5, 10>(bits) : widen<8, 7>(bits);
  }
}

void write(void* p, int type, double value) {
  const float single = static_cast<float>(value);
  uint16_t bits;
  switch (type) {
    case kDouble: memcpy(p, &value, 8); return;
    case kFloat: memcpy(p, &single, 4); return;
    default:
      bits = type == kHalf ? narrow<5, 10>(value) : narrow<8, 7>(value);
      memcpy(p, &bits, 2);
  }
}

int begin(const cublasContext* handle) {
  if (!handles().count(handle)) return kNotInitialized;
  return sticky_error() ? kExecutionFailed : kSuccess;
}

bool read_scalar(const Routine& routine, const char* name, const void* p, int type, double* value) {
  const size_t nbytes = size_of(type);
  if (routine.handle->settings[LEAP_BLAS_POINTER_MODE]) {
    if (!leap_device_range_valid(p, nbytes)) {
      refuse(routine, "reads", name, p);
      return false;
    }
  } else if (in_arena(p)) {
    record(kIllegalAccess, site_of(routine, p),
           "%s reads %s from the host, but it lies in device memory (see cublasSetPointerMode)",
           routine.name, name);
    return false;
  }
  *value = read(p, type);
  return true;
}

bool write_scalar(const Routine& routine, void* p, const void* value, size_t nbytes) {
  if (routine.handle->settings[LEAP_BLAS_POINTER_MODE]) {
    if (!leap_device_range_valid(p, nbytes)) {
      refuse(routine, "writes", "its result", p);
      return false;
    }
  } else if (in_arena(p)) {
    record(kIllegalAccess, site_of(routine, p),
           "%s writes its result from the host, but that lies in device memory "
           "(see cublasSetPointerMode)", routine.name);
    return false;
  }
  memcpy(p, value, nbytes);
  return true;
}

Footprint::~Footprint() { free(ranges_); }

bool Footprint::add(const Matrix& matrix, const char* verb, bool written) {
  const size_t nbytes = static_cast<size_t>(matrix.rows) * size_of(matrix.type);
  for (int64_t j = 0; nbytes && j < matrix.columns; ++j) {
    const char* start = matrix.column(j);
    if (reinterpret_cast<uintptr_t>(start) % size_of(matrix.type)) {
      record(kMisaligned, site_of(routine_, start), "%s %s %s at an address that is not a multiple of %zu",
             routine_.name, verb, matrix.name, size_of(matrix.type));
      return false;
    }
    if (!leap_device_range_valid(start, nbytes)) {
      const char* end = start + nbytes;  // the first element that cannot be reached
      const char* p = start;
      while (p < end && leap_device_range_valid(p, size_of(matrix.type))) p += size_of(matrix.type);
      refuse(routine_, verb, matrix.name, p);
      return false;
    }
    if (count_ == room_) {
      room_ = room_ ? 2 * room_ : 64;
      ranges_ = static_cast<Range*>(realloc(ranges_, room_ * sizeof(Range)));
      if (!ranges_) abort();
    }
    ranges_[count_++] = {start, start + nbytes, matrix.name, written};
  }
  return true;
}

bool Footprint::disjoint() {
  std::sort(ranges_, ranges_ + count_, [](const Range& a, const Range& b) { return a.start < b.start; });
  const Range *last = nullptr, *last_written = nullptr;  // those that reach furthest so far
  for (const Range* r = ranges_; r < ranges_ + count_; ++r) {
    const Range* before = r->written ? last : last_written;
    if (before && before->end > r->start) {
      record(kDataRace, site_of(routine_, r->start), "%s writes %s where it also %s %s", routine_.name,
             r->written ? r->name : before->name, r->written && before->written ? "writes" : "reads",
             r->written ? before->name : r->name);
      return false;
    }
    if (!last || r->end > last->end) last = r;
    if (r->written && (!last_written || r->end > last_written->end)) last_written = r;
  }
  return true;
}

}  // namespace blas
}  // namespace leap

using namespace leap;
using namespace leap::blas;

extern "C" {

int leap_blas_create(cublasContext** handle) {
  if (!handle) return blas::kInvalidValue;
  *handle = new cublasContext{};
  handles().insert(*handle);
  return kSuccess;
}
int leap_blas_destroy(cublasContext* handle) {
  if (!handles().erase(handle)) return kNotInitialized;
  delete handle;
  return kSuccess;
}
cublasContext* leap_blas_current(void) {
  static cublasContext* ours = nullptr;
  if (!handles().count(ours)) leap_blas_create(&ours);
  ours->stream = nullptr;
  ours->settings[LEAP_BLAS_MATH_MODE] = 0;
  return ours;
}
int leap_blas_set(cublasContext* handle, int setting, int value) {
  if (!handles().count(handle)) return kNotInitialized;
  handle->settings[setting] = value;
  return kSuccess;
}
int leap_blas_get(cublasContext* handle, int setting, int* value) {
  if (!handles().count(handle)) return kNotInitialized;
  *value = handle->settings[setting];
  return kSuccess;
}
int leap_blas_set_stream(cublasContext* handle, void* stream) {
  if (!handles().count(handle)) return kNotInitialized;
  handle->stream = stream;
  return kSuccess;
}
int leap_blas_get_stream(cublasContext* handle, void** stream) {
  if (!handles().count(handle)) return kNotInitialized;
  *stream = handle->stream;
  return kSuccess;
}
const char* leap_blas_status_text(int status) {
  switch (status) {
    case 0: return "CUBLAS_STATUS_SUCCESS";
    case 1: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case 3: return "CUBLAS_STATUS_ALLOC_FAILED";
    case 7: return "CUBLAS_STATUS_INVALID_VALUE";
    case 8: return "CUBLAS_STATUS_ARCH_MISMATCH";
    case 11: return "CUBLAS_STATUS_MAPPING_ERROR";
    case 13: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case 14: return "CUBLAS_STATUS_INTERNAL_ERROR";
    case 15: return "CUBLAS_STATUS_NOT_SUPPORTED";
    case 16: return "CUBLAS_STATUS_LICENSE_ERROR";
    default: return "unknown";
  }
}
int leap_blas_unsupported(const char* what, leap_place at) {
  record(kUnsupported, {"", nullptr, nullptr, at}, "line %d: %s in cuBLAS is not supported on the cpu target",
         at.line, what);
  return kNotSupported;
}
}
