// Warp operations: lanes wait until all lanes of their mask have arrived at the
// same operation, then the last one computes everybody's result.

#include <string.h>
#include <unwind.h>

#include "block.h"
#include "fault.h"
#include "race.h"
#include "spin.h"

namespace leap {
namespace {

struct Group {
  Thread* lanes;     // the warp's 32 threads
  unsigned members;  // lanes that take part
};

// What a shuffle gives a lane whose source lane has exited or is not in the mask.
constexpr uint64_t kUndefined = ~uint64_t{0};

// The lane that `lane` reads, as the hardware finds it (PTX, shfl.sync): five bits of the
// argument count, and a lane beyond its segment of `width` lanes reads itself.
unsigned source_of(const Thread& t, unsigned lane) {
  const unsigned segment = static_cast<unsigned>(static_cast<int>(kWarpSize) - t.width) & 31;
  const unsigned first = lane & segment, last = first | (~segment & 31);
  const unsigned b = static_cast<unsigned>(t.argument) & 31;
  unsigned source = lane;
  switch (t.kind) {
    case LEAP_SHFL_IDX: source = first | (b & ~segment); break;
    case LEAP_SHFL_UP: return lane >= first + b ? lane - b : lane;
    case LEAP_SHFL_DOWN: source = lane + b; break;
    default: source = lane ^ b; break;
  }
  return source <= last ? source : lane;
}

uint64_t shuffled(const Group& g, unsigned lane) {
  const unsigned source = source_of(g.lanes[lane], lane);
  return g.members >> source & 1 ? g.lanes[source].value : kUndefined;
}

uint64_t reduced(const Group& g, int kind) {
  uint32_t result = 0;
  bool first = true;
  for (unsigned rest = g.members; rest; rest &= rest - 1) {
    const uint32_t v = static_cast<uint32_t>(g.lanes[__builtin_ctz(rest)].value);
    const int32_t s = static_cast<int32_t>(v), r = static_cast<int32_t>(result);
    if (first) {
      result = v, first = false;
      continue;
    }
    switch (kind) {
      case LEAP_REDUCE_ADD: result += v; break;
      case LEAP_REDUCE_MIN_S: if (s < r) result = v; break;
      case LEAP_REDUCE_MAX_S: if (s > r) result = v; break;
      case LEAP_REDUCE_MIN_U: if (v < result) result = v; break;
      case LEAP_REDUCE_MAX_U: if (v > result) result = v; break;
      case LEAP_REDUCE_AND: result &= v; break;
      case LEAP_REDUCE_OR: result |= v; break;
      default: result ^= v; break;
    }
  }
  return result;
}

unsigned equal_lanes(const Group& g, uint64_t value) {
  unsigned mask = 0;
  for (unsigned rest = g.members; rest; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    if (g.lanes[lane].value == value) mask |= 1u << lane;
  }
  return mask;
}

// One of the lanes works for all, with what each of them brought.
void meet(const Group& g) {
  leap_meeting* meetings[kWarpSize];
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    meetings[lane] = reinterpret_cast<leap_meeting*>(g.lanes[lane].value);
  }
  meetings[0]->work(meetings);
}

void finish(const Group& g) {
  const int kind = g.lanes[__builtin_ctz(g.members)].kind;
  if (kind == LEAP_WARP_MEET) return meet(g);
  unsigned ballot = 0;
  for (unsigned rest = g.members; rest; rest &= rest - 1) {
    const int lane = __builtin_ctz(rest);
    if (g.lanes[lane].value) ballot |= 1u << lane;
  }
  const uint64_t shared_result = kind >= LEAP_REDUCE_ADD && kind <= LEAP_REDUCE_XOR
                                     ? reduced(g, kind) : 0;
  for (unsigned rest = g.members; rest; rest &= rest - 1) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    Thread& t = g.lanes[lane];
    switch (kind) {
      case LEAP_WARP_SYNC: t.result = 0; break;
      case LEAP_SHFL_IDX: case LEAP_SHFL_UP: case LEAP_SHFL_DOWN: case LEAP_SHFL_XOR:
        t.result = shuffled(g, lane); break;
      case LEAP_VOTE_ALL: t.result = ballot == g.members; break;
      case LEAP_VOTE_ANY: t.result = ballot != 0; break;
      case LEAP_VOTE_UNI: t.result = ballot == g.members || ballot == 0; break;
      case LEAP_BALLOT: t.result = ballot; break;
      case LEAP_MATCH_ANY: t.result = equal_lanes(g, t.value); break;
      case LEAP_MATCH_ALL:
        t.result = equal_lanes(g, t.value) == g.members ? g.members : 0; break;
      case LEAP_ACTIVE_MASK: t.result = g.members; break;
      default: t.result = shared_result; break;
    }
  }
}

void release(unsigned w, unsigned members, int kind) {
  block.warps[w].waiting &= ~members;
  made_progress();
  // The other operations are no memory barrier (CUDA C++ Programming Guide, 10.19 to 10.22).
  if (kind == LEAP_WARP_SYNC) order_warp(w, members);
  for (unsigned rest = members; rest; rest &= rest - 1) wake(w * kWarpSize + __builtin_ctz(rest));
}

// Lanes that wait at the same operation, with the same mask, as `lane`. It need not be the
// same statement (PTX: "the same qualifiers and the same membermask"), but for __activemask,
// which asks who is here (two branches that call one function are two places), and for
// tensor-core operations, which differ by their statements.
unsigned companions(unsigned w, unsigned lane) {
  const Thread* lanes = block.threads + w * kWarpSize;
  unsigned same = 0;
  for (unsigned rest = block.warps[w].waiting; rest; rest &= rest - 1) {
    const int other = __builtin_ctz(rest);
    const Thread &a = lanes[lane], &b = lanes[other];
    const bool here = a.kind == LEAP_ACTIVE_MASK ? a.path == b.path
                      : a.kind == LEAP_WARP_MEET ? same_place(a.at, b.at)
                                                 : true;
    if (a.kind == b.kind && a.mask == b.mask && here) same |= 1u << other;
  }
  return same;
}

// A hash of the return addresses on the running thread's stack.
uint64_t path_of_calls() {
  uint64_t hash = 0;
  auto add = [](_Unwind_Context* context, void* hash) {
    const char* frame = reinterpret_cast<const char*>(_Unwind_GetCFA(context));
    if (frame >= running.stack + running.stack_size) return _URC_END_OF_STACK;
    uint64_t& h = *static_cast<uint64_t*>(hash);
    h = (h ^ _Unwind_GetIP(context)) * 0x9E3779B97F4A7C15u;
    return _URC_NO_REASON;
  };
  _Unwind_Backtrace(add, &hash);
  return hash;
}

bool complete_lane(unsigned w, unsigned lane, bool idle) {
  Warp& warp = block.warps[w];
  Thread* lanes = block.threads + w * kWarpSize;
  const Thread& t = lanes[lane];
  // __activemask takes whoever is there once nobody else can come; the others
  // wait for the lanes of the mask, of which exited ones count as arrived.
  const bool active = t.kind == LEAP_ACTIVE_MASK;
  // All lanes have to come to a meeting, as nobody can do an exited one's work.
  const unsigned needed = active && idle              ? 1u << lane
                          : t.kind == LEAP_WARP_MEET ? t.mask
                                                     : t.mask & warp.live;
  if ((warp.waiting & needed) != needed) return false;
  const unsigned same = companions(w, lane);
  if ((same & needed) != needed) return false;
  const Group group{lanes, active ? same : needed};
  finish(group);
  release(w, group.members, t.kind);
  return true;
}

}  // namespace

bool complete_warp(unsigned w, bool idle) {
  for (unsigned rest = block.warps[w].waiting; rest; rest &= rest - 1) {
    if (complete_lane(w, static_cast<unsigned>(__builtin_ctz(rest)), idle)) return true;
  }
  return false;
}

}  // namespace leap

using namespace leap;

extern "C" uint64_t leap_warp(int kind, unsigned mask, uint64_t value, int argument, int width,
                              leap_place at) {
  if (!leap_in_kernel) return 0;
  const unsigned index = block.current, w = index / kWarpSize, lane = index % kWarpSize;
  Thread& t = block.threads[index];
  if (kind != LEAP_ACTIVE_MASK && !(mask >> lane & 1)) {
    fail(kDivergentBarrier, {"", nullptr, nullptr, at},
         "a warp operation was called with mask 0x%08x by lane %u, which is not in it", mask, lane);
  }
  t.state = ThreadState::at_warp;
  t.kind = kind, t.mask = mask, t.value = value, t.argument = argument, t.width = width, t.at = at;
  t.path = kind == LEAP_ACTIVE_MASK ? path_of_calls() : 0;
  block.warps[w].waiting |= 1u << lane;
  complete_lane(w, lane, /*idle=*/false);
  wait();
  return t.result;
}
