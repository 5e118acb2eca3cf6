#include "memory.h"

#include <string.h>
#include <sys/mman.h>

#include <map>
#include <mutex>

namespace leap {

Arena arena;

namespace {

std::mutex mutex;
struct Block {
  size_t nbytes;  // asked for
  Owner owner;
};
std::map<size_t, Block> live;    // by offset
std::map<size_t, size_t> freed;  // recently freed, for messages
size_t cursor = kSharedArena;    // next-fit: fresh addresses as long as there are any
size_t used_bytes = 0;

size_t round_up(size_t n, size_t unit) { return (n + unit - 1) / unit * unit; }
size_t footprint(size_t nbytes) { return round_up(nbytes, kAlignment) + kRedZone; }

// First gap of `need` bytes at or after `from`, or 0.
size_t find_gap(size_t from, size_t need) {
  size_t start = from;
  auto next = live.lower_bound(from);
  if (next != live.begin()) {
    auto before = std::prev(next);
    size_t end = before->first + footprint(before->second.nbytes);
    if (end > start) start = end;
  }
  for (; next != live.end(); ++next) {
    if (start + need + kRedZone <= next->first) return start;
    start = next->first + footprint(next->second.nbytes);
  }
  return start + need <= arena.size ? start : 0;
}

void release_pages(char* p, size_t n) {
  // Whole pages go back to the system; they read as zero when used again.
  uintptr_t first = round_up(reinterpret_cast<uintptr_t>(p), 4096);
  uintptr_t last = (reinterpret_cast<uintptr_t>(p) + n) / 4096 * 4096;
  if (last > first + (1 << 20)) {
    madvise(reinterpret_cast<void*>(first), last - first, MADV_DONTNEED);
  }
}

void* reserve(size_t n) {
  void* p = mmap(nullptr, n, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return p == MAP_FAILED ? nullptr : p;
}

}  // namespace

bool reserve_arena() {
  if (arena.base) return true;
  // 8 GiB of address space, less where the process has a limit.
  for (size_t size = size_t{8} << 30; size >= (size_t{64} << 20); size /= 2) {
    char* base = static_cast<char*>(reserve(size + kAlignment));
    if (!base) continue;
    void* shadow = reserve(size / kGranule);
    if (!shadow) {
      munmap(base, size + kAlignment);
      continue;
    }
    arena.base = reinterpret_cast<char*>(round_up(reinterpret_cast<uintptr_t>(base), kAlignment));
    arena.shadow = static_cast<uint8_t*>(shadow);
    arena.size = size;
    return true;
  }
  return false;
}

bool accessible(const void* p, size_t n) {
  size_t offset = arena_offset(p);
  if (offset >= arena.size || n > arena.size - offset) return false;
  size_t end = offset + n;
  while (offset < end) {
    size_t in_granule = offset % kGranule;
    size_t take = kGranule - in_granule < end - offset ? kGranule - in_granule : end - offset;
    if (arena.shadow[offset / kGranule] < in_granule + take) return false;
    offset += take;
  }
  return true;
}

void set_accessible(void* p, size_t n) {
  uint8_t* shadow = arena.shadow + arena_offset(p) / kGranule;
  memset(shadow, kGranule, n / kGranule);
  if (n % kGranule) shadow[n / kGranule] = static_cast<uint8_t>(n % kGranule);
}

void set_inaccessible(void* p, size_t n) {
  memset(arena.shadow + arena_offset(p) / kGranule, 0, (n + kGranule - 1) / kGranule);
}

void poison(void* p, size_t n) {
  uint64_t* const words = static_cast<uint64_t*>(p);
  for (size_t i = 0; i < n / kGranule; ++i) words[i] = call.poison;
  memcpy(words + n / kGranule, &call.poison, n % kGranule);
}

Allocation nearest_allocation(const void* p) {
  std::lock_guard<std::mutex> lock(mutex);
  size_t offset = arena_offset(p);
  if (offset >= arena.size) return {nullptr, 0, false};
  // A freed allocation that contains the address explains more than a live neighbour.
  auto old = freed.upper_bound(offset);
  if (old != freed.begin()) {
    --old;
    if (offset < old->first + old->second) return {arena.base + old->first, old->second, false};
  }
  auto next = live.upper_bound(offset);
  auto before = next == live.begin() ? live.end() : std::prev(next);
  if (before == live.end() && next == live.end()) return {nullptr, 0, false};
  bool take_next = before == live.end();
  if (!take_next && next != live.end()) {
    size_t end = before->first + before->second.nbytes;
    take_next = offset >= end && next->first - offset <= offset - end;
  }
  auto best = take_next ? next : before;
  return {arena.base + best->first, best->second.nbytes, true};
}

void* allocate(size_t nbytes, Owner owner) {
  std::lock_guard<std::mutex> lock(mutex);
  if (nbytes == 0 || !reserve_arena() || nbytes > arena.size) return nullptr;
  size_t need = kRedZone + footprint(nbytes);
  size_t gap = find_gap(cursor, need);
  if (!gap) gap = find_gap(kSharedArena, need);
  if (!gap) return nullptr;
  size_t offset = round_up(gap + kRedZone, kAlignment);
  char* p = arena.base + offset;
  live[offset] = {nbytes, owner};
  // Old entries that the new one covers would explain its neighbours wrongly.
  freed.erase(freed.lower_bound(gap), freed.lower_bound(gap + need));
  cursor = offset + footprint(nbytes);
  used_bytes += nbytes;
  poison(p, nbytes);
  set_accessible(p, nbytes);
  return p;
}

bool release(void* p, Owner owner) {
  if (!p) return true;
  std::lock_guard<std::mutex> lock(mutex);
  auto entry = live.find(arena_offset(p));
  if (entry == live.end() || entry->second.owner != owner) return false;
  size_t nbytes = entry->second.nbytes;
  set_inaccessible(p, nbytes);
  release_pages(static_cast<char*>(p), nbytes);
  freed[entry->first] = nbytes;
  if (freed.size() > 1024) freed.erase(freed.begin());
  live.erase(entry);
  used_bytes -= nbytes;
  return true;
}

bool host_may_access(const void* p, size_t n) {
  const size_t offset = arena_offset(p);
  if (!arena.base || offset >= arena.size) return true;
  std::lock_guard<std::mutex> lock(mutex);
  auto block = live.upper_bound(offset);
  if (block == live.begin()) return false;
  --block;
  const size_t end = block->first + block->second.nbytes;
  return block->second.owner == Owner::cuda_malloc_host && offset <= end && n <= end - offset;
}

}  // namespace leap

using namespace leap;

extern "C" {

void* leap_device_alloc(size_t nbytes) { return allocate(nbytes, Owner::torch); }
int leap_device_free(void* p) { return release(p, Owner::torch) ? 0 : -1; }

int leap_is_device_pointer(const void* p) {
  return leap_device_range_valid(p, 1) && !host_may_access(p, 1);
}

int leap_device_range_valid(const void* p, size_t nbytes) {
  size_t offset = arena_offset(p);
  if (!arena.base || offset < kSharedArena || offset >= arena.size) return 0;
  return accessible(p, nbytes);
}

void leap_device_memory(size_t* used, size_t* total) {
  reserve_arena();
  *used = used_bytes;
  *total = arena.size > kSharedArena ? arena.size - kSharedArena : 0;
}
}
