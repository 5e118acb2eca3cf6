// __syncthreads and its counting forms.

#include "block.h"
#include "fault.h"

namespace leap {

bool complete_barrier() {
  const Thread* first = nullptr;
  int count = 0;
  for (unsigned i = 0; i < block.size; ++i) {
    const Thread& t = block.threads[i];
    if (t.state != ThreadState::at_barrier) continue;
    if (!first) first = &t;
    // The same barrier is the same statement: threads at different ones are
    // divergent even where some GPU would let them pass.
    if (t.kind != first->kind || !same_place(t.at, first->at)) return false;
    count += t.argument != 0;
  }
  if (!first) return false;
  const int live = static_cast<int>(block.live);
  const int result = first->kind == LEAP_SYNC_COUNT ? count
                     : first->kind == LEAP_SYNC_AND ? count == live
                                                    : count > 0;
  for (unsigned i = 0; i < block.size; ++i) {
    Thread& t = block.threads[i];
    if (t.state == ThreadState::at_barrier) t.result = static_cast<uint64_t>(result);
  }
  return true;
}

void report_divergence() {
  // Name the statement where most wait, and one thread that waits elsewhere.
  const Thread *first = nullptr, *other = nullptr;
  unsigned first_index = 0, other_index = 0, waiting = 0, elsewhere = 0;
  for (unsigned i = 0; i < block.size; ++i) {
    const Thread& t = block.threads[i];
    if (t.state != ThreadState::at_barrier && t.state != ThreadState::at_warp) continue;
    ++waiting;
    if (!first) {
      first = &t, first_index = i;
    } else if (!same_place(t.at, first->at) || t.state != first->state || t.kind != first->kind ||
               t.mask != first->mask) {
      if (!other) other = &t, other_index = i;
      ++elsewhere;
    }
  }
  auto what = [](const Thread& t) {
    return t.state == ThreadState::at_barrier ? "__syncthreads" : "a warp operation";
  };
  const Thread& subject = other ? *other : *first;
  leap_thread_idx = subject.idx;
  const FaultSite site{"", nullptr, nullptr, subject.at};
  if (other) {
    fail(kDivergentBarrier, site,
         "%u threads (thread %u among them) wait at %s in line %d while %u (thread %u among them) "
         "wait at %s in line %d",
         waiting - elsewhere, first_index, what(*first), first->at.line, elsewhere, other_index,
         what(*other), other->at.line);
  }
  fail(kDivergentBarrier, site,
       "thread %u waits at %s in line %d with mask 0x%08x for lanes that never come", first_index,
       what(*first), first->at.line, first->mask);
}

}  // namespace leap

using namespace leap;

extern "C" int leap_barrier(int kind, int predicate, leap_place at) {
  if (!leap_in_kernel) return 0;
  Thread& t = block.threads[block.current];
  t.state = ThreadState::at_barrier;
  t.kind = kind;
  t.argument = predicate;
  t.at = at;
  ++block.at_barrier;
  wait();
  return static_cast<int>(t.result);
}
