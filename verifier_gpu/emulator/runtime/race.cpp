#include "race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <unordered_map>
#include <vector>

#include "fault.h"
#include "memory.h"
#include "modules.h"

namespace leap {
namespace {

// A record of an access: block serial | thread | epoch | bytes of the cell | atomic.
using Record = uint64_t;
constexpr int kBlockShift = 32, kThreadShift = 22, kEpochShift = 5, kMaskShift = 1;
constexpr uint32_t kMostEpochs = (1u << 17) - 1;
constexpr Record kAtomic = 1, kMaskBits = 15u << kMaskShift;
constexpr Record kIdentity = ~((Record{1} << kThreadShift) - 1);  // block and thread

struct Cell {
  Record write, read, other_read;
};

uint32_t block_of(Record r) { return static_cast<uint32_t>(r >> kBlockShift); }
unsigned thread_of(Record r) { return r >> kThreadShift & 1023; }
uint32_t epoch_of(Record r) { return r >> kEpochShift & kMostEpochs; }

// Cells in chunks, made when touched and dropped between calls: those of the arena,
// then those of the submission's variables.
constexpr size_t kChunkBytes = 16384;  // of memory
Cell** chunks = nullptr;
std::vector<Cell**>* made = nullptr;

uint32_t first_block = 0;  // serial of the launch's first block: older records are stale
uint32_t this_block = 0;
Record self = 0;  // the running thread's record, without bytes

uint32_t epoch[kMaxThreads];      // grows whenever the thread is ordered with others
uint32_t met[kMaxThreads];        // its epoch at the last barrier: all know what was before
uint32_t published[kMaxThreads];  // its epoch at its last fence and atomic
bool fenced[kMaxThreads];         // it has passed a fence since
bool acquired[kMaxThreads];       // it has done an atomic
bool warp_used[kMaxThreads / kWarpSize];
uint32_t known[kMaxThreads][kWarpSize];  // epochs of the lanes of its warp that it knows
bool block_acquired = false;
// Per block that published: for each of its threads, the first epoch that it has not.
using Epochs = std::vector<uint32_t>;
std::unordered_map<uint32_t, Epochs>* published_blocks = nullptr;

// A write that conflicts unless it leaves the value as it is: judged at the next event that
// is no read (a structure's copy announces its write first, then its read).
struct Pending {
  bool active = false;
  const char* address;
  size_t n;
  char before[64];
  Record mine, other;
  bool other_wrote;
  Uint3 thread;
  const void* pc;
  leap_place at;
} pending;

// NULL where there is no memory for it: such an access is not checked.
Cell* cell_at(size_t offset) {
  Cell*& chunk = chunks[offset / kChunkBytes];
  if (LEAP_UNLIKELY(!chunk)) {
    chunk = static_cast<Cell*>(calloc(kChunkBytes / 4, sizeof(Cell)));
    if (!chunk) return nullptr;
    made->push_back(&chunk);
  }
  return chunk + offset % kChunkBytes / 4;
}

bool ordered(Record r, bool in_shared) {
  const uint32_t b = block_of(r);
  if (b != this_block) {
    if (in_shared || b < first_block) return true;  // of another block's memory, or launch
    if (!block_acquired || !published_blocks) return false;
    const auto found = published_blocks->find(b);
    if (found == published_blocks->end()) return false;
    return epoch_of(r) < found->second[thread_of(r)] || epoch_of(r) == kMostEpochs;
  }
  const unsigned t = thread_of(r), me = block.current;
  const uint32_t e = epoch_of(r);
  if (e < met[t] || e == kMostEpochs) return true;
  const unsigned w = me / kWarpSize;
  if (t / kWarpSize == w && warp_used[w] && e < known[me][t % kWarpSize]) return true;
  return acquired[me] && e < published[t];
}

void describe(char* text, size_t size, Record r) {
  const Uint3 b = leap_block_dim;
  const unsigned t = thread_of(r);
  const Uint3 idx{t % b.x, t / b.x % b.y, t / b.x / b.y};
  if (block_of(r) == this_block) {
    snprintf(text, size, "thread (%u, %u, %u) of the same block", idx.x, idx.y, idx.z);
  } else {
    snprintf(text, size, "thread (%u, %u, %u) of another block", idx.x, idx.y, idx.z);
  }
}

[[noreturn]] void report(const char* verb, const char* address, Record other, bool other_wrote,
                         const void* pc, leap_place at) {
  char who[96];
  describe(who, sizeof who, other);
  const bool same_block = block_of(other) == this_block;
  const bool in_shared = arena_offset(address) < kSharedArena;
  pending.active = false;
  fail(kDataRace, {in_shared ? "shared" : "global", address, pc, at},
       "%s %s memory that %s %s, with %s between them", verb, in_shared ? "shared" : "global", who,
       other_wrote ? "writes" : "reads",
       same_block ? "no barrier" : "nothing (no atomic after a __threadfence)");
}

void settle() {
  pending.active = false;
  if (memcmp(pending.address, pending.before, pending.n) == 0) return;
  leap_thread_idx = pending.thread;
  report("writes", pending.address, pending.other, pending.other_wrote, pending.pc, pending.at);
}

void suspect_write(const char* address, size_t n, Record other, bool other_wrote, const void* pc,
                   leap_place at) {
  if (pending.active) {  // by another cell of the same access
    if (pending.address + pending.n != address || pending.n + n > sizeof pending.before) return;
    memcpy(pending.before + pending.n, address, n);
    pending.n += n;
    return;
  }
  pending.active = true;
  pending.address = address;
  pending.n = n;
  memcpy(pending.before, pending.address, n);
  pending.other = other;
  pending.other_wrote = other_wrote;
  pending.thread = leap_thread_idx;
  pending.pc = pc;
  pending.at = at;
}

void advance(unsigned t) {
  if (epoch[t] < kMostEpochs) ++epoch[t];
}

// What thread t knows of its block becomes known to other blocks.
void publish(unsigned t) {
  if (!published_blocks) published_blocks = new std::unordered_map<uint32_t, Epochs>;
  Epochs& first_unpublished = (*published_blocks)[this_block];
  first_unpublished.resize(block.size);
  auto raise = [&](unsigned u, uint32_t to) {
    if (to > first_unpublished[u]) first_unpublished[u] = to;
  };
  for (unsigned u = 0; u < block.size; ++u) raise(u, met[u]);
  const unsigned w = t / kWarpSize;
  for (unsigned lane = 0; warp_used[w] && lane < kWarpSize; ++lane) {
    if (w * kWarpSize + lane < block.size) raise(w * kWarpSize + lane, known[t][lane]);
  }
  raise(t, epoch[t]);
}

// One cell; `bytes` says which of its 4 bytes.
inline void check_cell(size_t offset, const char* address, size_t n, Record bytes, Access access,
                       const void* pc, leap_place at) {
  Cell* const found = cell_at(offset);
  if (LEAP_UNLIKELY(!found)) return;
  Cell& cell = *found;
  const Record mine = self | bytes << kMaskShift;
  const bool in_shared = offset < kSharedArena;
  auto conflicts = [&](Record r) {
    return (r & bytes << kMaskShift) && ((r ^ mine) & kIdentity) && !ordered(r, in_shared);
  };
  if (access == Access::read && cell.read == mine) return;  // and nobody wrote since
  if (access != Access::write && LEAP_UNLIKELY(is_poison(address, n))) {
    remember_unwritten({in_shared ? "shared" : "global", address, pc, at});
  }
  if (access == Access::read) {
    if (!(cell.write & kAtomic) && conflicts(cell.write)) {
      if (pending.active) settle();  // it came before
      report("reads", address, cell.write, true, pc, at);
    }
    if ((cell.read ^ mine) & kIdentity) {
      cell.other_read = cell.read;
      cell.read = mine;
    } else {
      cell.read = mine | (cell.read & kMaskBits);
    }
    return;
  }
  if (access == Access::atomic) {
    if (!(cell.write & kAtomic) && conflicts(cell.write)) {
      suspect_write(address, n, cell.write, true, pc, at);
    }
    cell.write = mine | kAtomic;
    return;
  }
  if (conflicts(cell.write)) {
    suspect_write(address, n, cell.write, true, pc, at);
  } else if (conflicts(cell.read)) {
    suspect_write(address, n, cell.read, false, pc, at);
  } else if (conflicts(cell.other_read)) {
    suspect_write(address, n, cell.other_read, false, pc, at);
  }
  const bool same = !((cell.write ^ mine) & kIdentity) && epoch_of(cell.write) == epoch_of(mine) &&
                    !(cell.write & kAtomic);
  cell.write = same ? mine | (cell.write & kMaskBits) : mine;
  cell.read = cell.other_read = 0;
}

}  // namespace

void begin_call_races() {
  if (!made) return;
  for (Cell** chunk : *made) free(*chunk), *chunk = nullptr;
  made->clear();
}

void begin_launch_races() {
  if (!chunks) {
    chunks = static_cast<Cell**>(calloc((arena.size + kMostModuleData) / kChunkBytes + 1, sizeof(Cell*)));
    made = new std::vector<Cell**>;
  }
  pending.active = false;
  first_block = static_cast<uint32_t>(block_serial + 1);
  if (published_blocks) published_blocks->clear();
}

void begin_block_races() {
  this_block = static_cast<uint32_t>(block_serial);
  block_acquired = false;
  for (unsigned t = 0; t < block.size; ++t) {
    epoch[t] = 1;
    met[t] = published[t] = 0;
    fenced[t] = acquired[t] = false;
  }
  for (unsigned w = 0; w * kWarpSize < block.size; ++w) warp_used[w] = false;
}

void enter_thread_races() {
  if (LEAP_UNLIKELY(pending.active)) settle();
  const unsigned t = block.current;
  self = Record{this_block} << kBlockShift | Record{t} << kThreadShift | Record{epoch[t]} << kEpochShift;
}

void finish_thread_races() {
  if (LEAP_UNLIKELY(pending.active)) settle();
}

void order_barrier() {
  for (unsigned t = 0; t < block.size; ++t) {
    advance(t);
    met[t] = epoch[t];
  }
}

void order_warp(unsigned w, unsigned members) {
  uint32_t joined[kWarpSize] = {};
  if (!warp_used[w]) {
    warp_used[w] = true;
    memset(known[w * kWarpSize], 0, sizeof known[0] * kWarpSize);
  }
  for (unsigned rest = members; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest)), t = w * kWarpSize + lane;
    advance(t);
    known[t][lane] = epoch[t];
    for (unsigned l = 0; l < kWarpSize; ++l) {
      if (known[t][l] > joined[l]) joined[l] = known[t][l];
    }
  }
  for (unsigned rest = members; rest; rest &= rest - 1) {
    memcpy(known[w * kWarpSize + static_cast<unsigned>(__builtin_ctz(rest))], joined, sizeof joined);
  }
}

void order_fence() { fenced[block.current] = true; }

void order_atomic() {
  const unsigned t = block.current;
  acquired[t] = block_acquired = true;
  if (!fenced[t]) return;
  advance(t);
  published[t] = epoch[t];
  publish(t);
  enter_thread_races();
}

void check_race(const void* p, size_t n, Access access, const void* pc, leap_place at) {
  if (LEAP_UNLIKELY(pending.active) && access != Access::read) settle();
  const char* address = static_cast<const char*>(p);
  size_t offset = arena_offset(p);
  if (LEAP_UNLIKELY(offset >= arena.size)) {
    const size_t place = module_variable(p);
    if (place == kNotAVariable) return;
    offset = arena.size + place;
  }
  if (LEAP_LIKELY(n == 4 && offset % 4 == 0)) {
    return check_cell(offset, address, 4, 15, access, pc, at);
  }
  for (const char* end = address + n; address < end;) {
    const size_t in_cell = offset % 4, left = static_cast<size_t>(end - address);
    const size_t take = 4 - in_cell < left ? 4 - in_cell : left;
    check_cell(offset, address, take, ((Record{1} << take) - 1) << in_cell, access, pc, at);
    offset += take, address += take;
  }
}

void check_warp_synchronous(const void* p, size_t n, Access access, const void* pc, leap_place at) {
  const size_t first = arena_offset(p);
  if (first >= kSharedArena) return;
  auto in_step = [](Record r) {
    return block_of(r) == this_block && thread_of(r) != block.current &&
           thread_of(r) / kWarpSize == block.current / kWarpSize && !ordered(r, true);
  };
  for (size_t offset = first / 4 * 4; offset < first + n; offset += 4) {
    const Cell* const cell = cell_at(offset);
    if (!cell) return;
    const bool read_too = access == Access::write && (in_step(cell->read) || in_step(cell->other_read));
    if (read_too || in_step(cell->write)) {
      fail(kUnsupported, {"shared", p, pc, at},
           "warp-synchronous code (volatile shared memory without __syncwarp) is not supported on "
           "the cpu target, where the lanes of a warp do not run in step");
    }
  }
}

}  // namespace leap

extern "C" void leap_fence(void) {
  if (leap_in_kernel) leap::order_fence();
}
