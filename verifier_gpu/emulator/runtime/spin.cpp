#include "spin.h"

#include <string.h>

#include "block.h"
#include "fault.h"

namespace leap {
namespace {

// Fruitless looks before the others run, and before nobody is believed to help: a
// fifth of a second. Only a kernel that ends no thread for as long is misjudged.
constexpr unsigned kPatience = 1024;
constexpr uint64_t kGivingUp = 20'000'000;

struct Look {
  const void* address;
  uint64_t value;
  unsigned fruitless;
};
Look looks[kMaxThreads];
uint64_t fruitless_in_all = 0;

uint64_t value_at(const void* p, size_t n) {
  uint64_t value = 0;
  memcpy(&value, p, n);
  return value;
}

}  // namespace

void begin_block_spins() {
  memset(looks, 0, sizeof looks[0] * block.size);
  fruitless_in_all = 0;
}

void made_progress() { fruitless_in_all = 0; }

void watch_spin(const void* p, size_t n, const void* pc, leap_place at) {
  Look& look = looks[block.current];
  const uint64_t value = value_at(p, n);
  if (LEAP_LIKELY(look.address != p || look.value != value)) {
    look = {p, value, 0};
    return;
  }
  ++fruitless_in_all;
  if (LEAP_LIKELY(++look.fruitless % kPatience)) return;
  if (fruitless_in_all > kGivingUp) {
    fail(kUnsupported, {"", p, pc, at},
         "waiting for a value that another block writes is not supported on the cpu target, "
         "where blocks run one after the other: the value does not change");
  }
  let_others_run();
}

}  // namespace leap
