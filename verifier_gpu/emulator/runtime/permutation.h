// The order in which blocks, or a block's threads, run.
#pragma once

#include <stdint.h>

#include "state.h"

namespace leap {

// i -> (a * i + b) mod n with a prime to n: a bijection that needs no table.
class Permutation {
 public:
  Permutation() = default;
  Permutation(uint64_t n, int order, uint64_t seed) : n_(n), order_(order), random_(seed) { next(); }

  // Draws another permutation of the same kind.
  void next() {
    if (order_ == LEAP_REVERSE) a_ = n_ - 1, b_ = n_ - 1;
    if (order_ != LEAP_SHUFFLE || n_ < 2) return;
    do {
      a_ = 1 + draw() % (n_ - 1);
    } while (gcd(a_, n_) != 1);
    b_ = draw() % n_;
  }

  uint64_t operator()(uint64_t i) const {
    if (order_ == LEAP_FORWARD) return i;
    return static_cast<uint64_t>((static_cast<unsigned __int128>(a_) * i + b_) % n_);
  }

 private:
  static uint64_t gcd(uint64_t x, uint64_t y) {
    while (y) {
      const uint64_t r = x % y;
      x = y, y = r;
    }
    return x;
  }

  uint64_t draw() {  // splitmix64
    uint64_t z = random_ += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  uint64_t n_ = 1, a_ = 1, b_ = 0;
  int order_ = LEAP_FORWARD;
  uint64_t random_ = 0;
};

}  // namespace leap
