#include "shared.h"

#include "fault.h"
#include "memory.h"

void* leap_shared_dynamic_pointer = nullptr;

namespace leap {
namespace {

constexpr size_t kSharedAlignment = 128;
constexpr size_t kSharedGap = 256;  // between arrays, so that an overrun is seen

size_t cursor = 0;          // end of the last array
size_t dynamic_bytes = 0;   // of this launch
size_t static_bytes = 0;    // declared so far
size_t opted_in_bytes = 0;  // dynamic ones that cudaFuncSetAttribute allowed

size_t round_up(size_t n) { return (n + kSharedAlignment - 1) / kSharedAlignment * kSharedAlignment; }

char* place(size_t nbytes) {
  char* p = arena.base + round_up(cursor + kSharedGap);
  cursor = static_cast<size_t>(p - arena.base) + nbytes;
  set_accessible(p, nbytes);
  return p;
}

}  // namespace

void begin_launch_shared(size_t bytes, size_t opted_in) {
  set_inaccessible(arena.base, round_up(cursor));
  cursor = 0;
  static_bytes = 0;
  dynamic_bytes = bytes;
  opted_in_bytes = opted_in;
  leap_shared_dynamic_pointer = place(bytes);
}

void begin_block_shared() {
  // Declared arrays are poisoned when the block's first thread reaches them.
  poison(leap_shared_dynamic_pointer, dynamic_bytes);
}

}  // namespace leap

using namespace leap;

extern "C" {

void* leap_shared_static(leap_shared_slot* slot, size_t nbytes) {
  if (LEAP_LIKELY(slot->block == block_serial)) return slot->address;
  if (slot->launch != launch_serial) {
    static_bytes += nbytes;
    if (static_bytes > kStaticSharedLimit) {
      fail(kCompile, {"shared", nullptr, nullptr, slot->at},
           "the kernel uses too much shared data (%zu bytes, 49152 max)", static_bytes);
    }
    // Only here is it known that an opt-in left no room for what is static, which CUDA
    // refuses when it is asked for.
    const bool opted_in = opted_in_bytes && static_bytes + opted_in_bytes <= kOptInSharedLimit;
    const size_t most_bytes = opted_in ? kOptInSharedLimit : kStaticSharedLimit;
    if (static_bytes + dynamic_bytes > most_bytes) {
      fail(kBadLaunch, {"shared", nullptr, nullptr, slot->at},
           "__shared__ declarations of %zu bytes and %zu bytes of dynamic shared memory need more "
           "than the %zu that the launch may have",
           static_bytes, dynamic_bytes, most_bytes);
    }
    slot->address = place(nbytes);
    slot->launch = launch_serial;
  }
  slot->block = block_serial;
  poison(slot->address, nbytes);
  return slot->address;
}

void* leap_shared_dynamic(void) { return leap_shared_dynamic_pointer; }
}
