// Where a warp loads or stores a matrix together (wmma).

#include "block.h"
#include "fault.h"
#include "memory.h"

using namespace leap;

namespace {

struct Argument {  // what one lane says of the matrix
  leap_meeting meeting;
  const void* p;
  unsigned leading;
  int row_major;
  leap_place at;
  Uint3 thread;
};

void compare(leap_meeting* const* lanes) {
  const auto* first = reinterpret_cast<const Argument*>(lanes[0]);
  for (unsigned lane = 1; lane < kWarpSize; ++lane) {
    const auto* other = reinterpret_cast<const Argument*>(lanes[lane]);
    if (other->p == first->p && other->leading == first->leading &&
        other->row_major == first->row_major) {
      continue;
    }
    leap_thread_idx = other->thread;
    fail(kDivergentBarrier, {"", other->p, nullptr, other->at},
         "the lanes of a warp load or store a matrix together, but lane %u names another %s than "
         "lane 0", lane,
         other->p != first->p ? "pointer" : other->leading != first->leading ? "leading dimension"
                                                                             : "layout");
  }
}

}  // namespace

extern "C" unsigned leap_meet_at_matrix(const void* p, unsigned leading, int row_major,
                                        size_t element, leap_place at) {
  Argument mine{{compare}, p, leading, row_major, at, leap_thread_idx};
  leap_warp(LEAP_WARP_MEET, ~0u, reinterpret_cast<uint64_t>(&mine), 0, kWarpSize, at);
  const FaultSite site{arena_offset(p) < kSharedArena ? "shared" : "global", p, nullptr, at};
  // CUDA asks for 32 bytes; but a step of 16 bytes is one along the products of 8-bit types,
  // and public code, NVIDIA's own included, takes it.
  const uintptr_t alignment = element == 1 ? 16 : 32;
  if (leap_in_kernel && reinterpret_cast<uintptr_t>(p) % alignment) {
    fail(kMisaligned, site, "a matrix of a warp lies at an address that is not a multiple of %zu",
         static_cast<size_t>(alignment));
  }
  if (leap_in_kernel && (element == 2 || element == 4) && leading * element % 16) {
    fail(kMisaligned, site,
         "the leading dimension of a warp's matrix, %u elements of %zu bytes, is not a multiple of "
         "16 bytes", leading, element);
  }
  return leap_in_kernel ? block.current % kWarpSize : 0;
}
