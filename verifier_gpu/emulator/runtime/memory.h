// Device memory: one reserved arena and a shadow byte for every 8 bytes of it.
//
// A shadow byte holds how many of its 8 bytes, from the first on, may be
// accessed: 8 for all, 0 for none. Fresh shadow pages are zero, so nothing is
// accessible until allocated. The arena's first part belongs to the running
// block's shared memory, the rest to device allocations. One subtraction, one
// load and one comparison decide almost every access; a race detector will keep
// its own shadow of the same arena.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "state.h"

namespace leap {

inline constexpr size_t kGranule = 8;
// Wide, so that an index that is off by rows meets it and not the next tensor.
inline constexpr size_t kRedZone = 65536;
inline constexpr size_t kAlignment = 256;
inline constexpr size_t kSharedArena = size_t{1} << 20;
inline constexpr size_t kGuardSize = 65536;

struct Arena {
  char* base = nullptr;
  size_t size = 0;
  uint8_t* shadow = nullptr;
};
extern Arena arena;

// Reserves arena and shadow (address space only). False if the process may not.
bool reserve_arena();

inline size_t arena_offset(const void* p) {
  return reinterpret_cast<uintptr_t>(p) - reinterpret_cast<uintptr_t>(arena.base);
}

// True if all of [p, p + n) lies in the arena and may be accessed.
bool accessible(const void* p, size_t n);
void set_accessible(void* p, size_t n);    // p is a multiple of kGranule
void set_inaccessible(void* p, size_t n);  // whole granules

struct Allocation {
  const char* address;
  size_t nbytes;
  bool live;
};
// The live or last freed device allocation nearest to p; address NULL if none.
Allocation nearest_allocation(const void* p);

// Who may free a block, and whether host code may touch it.
enum class Owner { torch, cuda_malloc, cuda_malloc_host };
void* allocate(size_t nbytes, Owner owner);  // NULL when there is no room, or nothing asked for
bool release(void* p, Owner owner);          // false: p is not the start of a block of this owner
// Whether all of [p, p + n) is host memory, pinned blocks of the arena included.
bool host_may_access(const void* p, size_t n);

// Poisons a range with the call's pattern. p is a multiple of kGranule.
void poison(void* p, size_t n);

// Whether 4 aligned bytes, or the granule around fewer, are as poison() left them: less
// has too few values to tell.
inline bool is_poison(const void* p, size_t n) {
  const size_t in_granule = reinterpret_cast<uintptr_t>(p) % kGranule;
  if (n == 4) {
    return *static_cast<const uint32_t*>(p) == static_cast<uint32_t>(call.poison >> in_granule * 8);
  }
  return *reinterpret_cast<const uint64_t*>(static_cast<const char*>(p) - in_granule) == call.poison;
}

}  // namespace leap
