// The callbacks that `g++ -fsanitize=thread` puts before every memory access of
// a submission. libtsan is never linked: these are all that exists.
//
// Inside a kernel an access must lie in device memory, the block's shared
// memory, the thread's own stack, the kernel's parameters or the submission's
// own globals. Host code may touch everything but device memory.

#include <string.h>

#include "fault.h"
#include "memory.h"
#include "modules.h"
#include "race.h"
#include "spin.h"

namespace leap {
namespace {

void explain(const char* verb, const void* p, size_t n, const void* pc, leap_place at) {
  const size_t offset = arena_offset(p);
  FaultSite site{"", p, pc, at};
  if (offset < kSharedArena) {
    site.space = "shared";
    fail(kIllegalAccess, site, "%s of %zu bytes outside the block's shared memory", verb, n);
  }
  if (offset >= arena.size) {
    if (reinterpret_cast<uintptr_t>(p) < 65536) {
      fail(kIllegalAccess, site, "%s of %zu bytes through a null pointer (address %p)", verb, n, p);
    }
    fail(kIllegalAccess, site, "%s of %zu bytes at address %p, which is not device memory", verb, n, p);
  }
  site.space = "global";
  Allocation a = nearest_allocation(p);
  const char* address = static_cast<const char*>(p);
  if (!a.address) {
    fail(kIllegalAccess, site, "%s of %zu bytes in unallocated device memory", verb, n);
  } else if (!a.live) {
    fail(kIllegalAccess, site, "%s of %zu bytes in a freed allocation of %zu bytes", verb, n, a.nbytes);
  } else if (address < a.address) {
    fail(kIllegalAccess, site, "%s of %zu bytes, %zu bytes before an allocation of %zu bytes", verb, n,
         static_cast<size_t>(a.address - address), a.nbytes);
  }
  fail(kIllegalAccess, site, "%s of %zu bytes at byte offset %zu of an allocation of %zu bytes", verb,
       n, static_cast<size_t>(address - a.address), a.nbytes);
}

bool within(const void* p, size_t n, const char* start, size_t size) {
  size_t offset = reinterpret_cast<uintptr_t>(p) - reinterpret_cast<uintptr_t>(start);
  return offset < size && n <= size - offset;
}

Access kind_of(const char* verb) { return verb[0] == 'w' ? Access::write : Access::read; }

__attribute__((noinline)) void check_slowly(const char* verb, const void* p, size_t n,
                                            const void* pc, leap_place at = {}) {
  if (!leap_in_kernel) {
    if (!host_may_access(p, n)) {
      record(kIllegalAccess, {"host", p, pc, at},
             "host code %s device memory without a kernel or cudaMemcpy",
             verb[0] == 'w' ? "wrote to" : "read");
    }
    return;
  }
  if (within(p, n, running.stack, running.stack_size)) return;
  if (accessible(p, n)) {
    check_race(p, n, kind_of(verb), pc, at);
    return;
  }
  if (within(p, n, running.closure, running.closure_size)) return;
  if (in_module_data(p, n)) return check_race(p, n, kind_of(verb), pc, at);
  explain(verb, p, n, pc, at);
}

}  // namespace

// The fast paths: whole granules of the arena, or the running thread's stack.
template <size_t n>
inline __attribute__((always_inline)) void check(const char* verb, const void* p, const void* pc) {
  constexpr leap_place at{nullptr, 0};
  // GCC calls these only where the type promises min(n, 8) bytes of alignment.
  constexpr size_t alignment = n < kGranule ? n : kGranule;
  const size_t offset = arena_offset(p);
  if (LEAP_LIKELY(offset < arena.size) && LEAP_LIKELY(leap_in_kernel)) {
    const uint8_t* shadow = arena.shadow + offset / kGranule;
    if (LEAP_LIKELY(offset % alignment == 0)) {
      if (n <= kGranule) {
        if (LEAP_LIKELY(*shadow >= offset % kGranule + n)) {
          return check_race(p, n, kind_of(verb), pc, at);
        }
      } else if (LEAP_LIKELY(shadow[0] == kGranule && shadow[1] == kGranule)) {
        return check_race(p, n, kind_of(verb), pc, at);
      }
    } else {
      fail(kMisaligned, {offset < kSharedArena ? "shared" : "global", p, pc, at},
           "%s of %zu bytes at an address that is not a multiple of %zu", verb, n, alignment);
    }
  } else if (LEAP_LIKELY(reinterpret_cast<uintptr_t>(p) -
                             reinterpret_cast<uintptr_t>(running.stack) < running.stack_size)) {
    return;
  }
  check_slowly(verb, p, n, pc);
}

// volatile is what old code says for atomic, and PTX gives both one meaning.
enum class Order { atomic, volatile_read, volatile_write };

// An access that orders threads, and by which they wait for each other.
void ordering_access(Order order, const void* p, size_t n, const void* pc, leap_place at) {
  const char* verb = order == Order::volatile_read ? "read" : "write";
  if (!leap_in_kernel) return check_slowly(verb, p, n, pc, at);
  if (reinterpret_cast<uintptr_t>(p) % n) {
    fail(kMisaligned, {"", p, pc, at},
         "atomic access of %zu bytes at an address that is not a multiple of %zu", n, n);
  }
  if (!accessible(p, n) && !in_module_data(p, n)) return check_slowly(verb, p, n, pc, at);
  order_atomic();
  watch_spin(p, n < 8 ? n : 8, pc, at);
  if (order != Order::atomic) check_warp_synchronous(p, n, kind_of(verb), pc, at);
  check_race(p, n, order == Order::volatile_read ? Access::read : Access::atomic, pc, at);
}

}  // namespace leap

using leap::ordering_access;
using leap::Order;
using leap::check;
using leap::check_slowly;

extern "C" {

#define LEAP_PC __builtin_return_address(0)
#define LEAP_CALLBACKS(n)                                                          \
  void __tsan_read##n(void* p) { check<n>("read", p, LEAP_PC); }                   \
  void __tsan_write##n(void* p) { check<n>("write", p, LEAP_PC); }                 \
  void __tsan_unaligned_read##n(void* p) { check_slowly("read", p, n, LEAP_PC); }  \
  void __tsan_unaligned_write##n(void* p) { check_slowly("write", p, n, LEAP_PC); }
LEAP_CALLBACKS(1)
LEAP_CALLBACKS(2)
LEAP_CALLBACKS(4)
LEAP_CALLBACKS(8)
LEAP_CALLBACKS(16)

void __tsan_read_range(void* p, size_t n) { check_slowly("read", p, n, LEAP_PC); }
void __tsan_write_range(void* p, size_t n) { check_slowly("write", p, n, LEAP_PC); }
void __tsan_vptr_update(void** p, void*) { check<8>("write", p, LEAP_PC); }
void __tsan_vptr_read(void** p) { check<8>("read", p, LEAP_PC); }
void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}

// Submissions are linked with --wrap for these: large copies reach no other callback.
void* __wrap_memcpy(void* to, const void* from, size_t n) {
  if (n) check_slowly("read", from, n, LEAP_PC), check_slowly("write", to, n, LEAP_PC);
  return memcpy(to, from, n);
}
void* __wrap_memmove(void* to, const void* from, size_t n) {
  if (n) check_slowly("read", from, n, LEAP_PC), check_slowly("write", to, n, LEAP_PC);
  return memmove(to, from, n);
}
void* __wrap_memset(void* to, int value, size_t n) {
  if (n) check_slowly("write", to, n, LEAP_PC);
  return memset(to, value, n);
}

#define LEAP_VOLATILE(n)                                                                     \
  void __tsan_volatile_read##n(void* p) { ordering_access(Order::volatile_read, p, n, LEAP_PC, {}); } \
  void __tsan_volatile_write##n(void* p) { ordering_access(Order::volatile_write, p, n, LEAP_PC, {}); } \
  void __tsan_unaligned_volatile_read##n(void* p) { check_slowly("read", p, n, LEAP_PC); }   \
  void __tsan_unaligned_volatile_write##n(void* p) { check_slowly("write", p, n, LEAP_PC); }
LEAP_VOLATILE(1)
LEAP_VOLATILE(2)
LEAP_VOLATILE(4)
LEAP_VOLATILE(8)
LEAP_VOLATILE(16)
void leap_access(const void* p, size_t n, int write, leap_place at) {
  check_slowly(write ? "write" : "read", p, n, LEAP_PC, at);
}

// What `-fsanitize=object-size` calls before an access past the end of a local array or a
// variable. The layout of its argument is libubsan's TypeMismatchData.
struct leap_object_access {
  leap_place at;  // followed by the column, in the padding
  const void* type;
  unsigned char alignment, is_store;
};
void __ubsan_handle_type_mismatch_v1(leap_object_access* access, const void* p) {
  if (!leap_in_kernel) return;
  const bool local = leap::within(p, 1, leap::running.stack, leap::running.stack_size);
  leap::fail(leap::kIllegalAccess, {local ? "local" : "global", p, LEAP_PC, access->at},
             "%s past the end of a %s", access->is_store ? "write" : "read",
             local ? "local array" : "__device__ or __constant__ variable");
}

// What `-fsanitize=shift-exponent` calls; the layouts are libubsan's ShiftOutOfBoundsData
// and TypeDescriptor.
struct leap_shift_type {
  uint16_t kind, info;  // bit 0 of info: signed; the rest: the logarithm of the width
};
struct leap_shift {
  leap_place at;  // followed by the column, in the padding
  const leap_shift_type* shifted;
};
void __ubsan_handle_shift_out_of_bounds(leap_shift* shift, uintptr_t, uintptr_t by) {
  if (!leap_in_kernel) return;
  leap::fail(leap::kUnsupported, {"", nullptr, LEAP_PC, shift->at},
             "shift of %u bits by %d, of which a GPU makes something else than a CPU", 1u << (shift->shifted->info >> 1),
             static_cast<int>(by));
}

void leap_atomic_access(const void* p, size_t n, leap_place at) {
  ordering_access(Order::atomic, p, n, LEAP_PC, at);
}
}
