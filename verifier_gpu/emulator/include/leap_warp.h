// Warp shuffles, votes, matches and reductions.
#pragma once

#include "leap_kernel.h"

namespace leap {

// A value of up to 8 bytes as the bits that travel between lanes.
template <class T>
inline uint64_t to_bits(T value) {
  static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
  uint64_t bits = 0;
  __builtin_memcpy(&bits, &value, sizeof(T));
  return bits;
}

template <class T>
inline T from_bits(uint64_t bits) {
  T value;
  __builtin_memcpy(&value, &bits, sizeof(T));
  return value;
}

template <class T>
inline T shuffle(int kind, unsigned mask, T value, int argument, int width, leap_place at) {
  return from_bits<T>(leap_warp(kind, mask, to_bits(value), argument, width, at));
}

}  // namespace leap

// The types that CUDA has, so that another is refused or converted as nvcc does it.
#define LEAP_SHUFFLE(T, name, kind, argument)                                                    \
  static inline T name(unsigned mask, T value, argument, int width = 32,                         \
                       leap_place at = LEAP_HERE) {                                              \
    return ::leap::shuffle(kind, mask, value, static_cast<int>(lane), width, at);                \
  }
#define LEAP_SHUFFLES(T)                                              \
  LEAP_SHUFFLE(T, __shfl_sync, LEAP_SHFL_IDX, int lane)               \
  LEAP_SHUFFLE(T, __shfl_up_sync, LEAP_SHFL_UP, unsigned lane)        \
  LEAP_SHUFFLE(T, __shfl_down_sync, LEAP_SHFL_DOWN, unsigned lane)    \
  LEAP_SHUFFLE(T, __shfl_xor_sync, LEAP_SHFL_XOR, int lane)
LEAP_SHUFFLES(int)
LEAP_SHUFFLES(unsigned)
LEAP_SHUFFLES(long)
LEAP_SHUFFLES(unsigned long)
LEAP_SHUFFLES(long long)
LEAP_SHUFFLES(unsigned long long)
LEAP_SHUFFLES(float)
LEAP_SHUFFLES(double)

static inline void __syncwarp(unsigned mask = 0xffffffffu, leap_place at = LEAP_HERE) {
  leap_warp(LEAP_WARP_SYNC, mask, 0, 0, 32, at);
}
static inline unsigned __activemask(leap_place at = LEAP_HERE) {
  return static_cast<unsigned>(leap_warp(LEAP_ACTIVE_MASK, 0xffffffffu, 0, 0, 32, at));
}
#define LEAP_VOTE(result, name, kind)                                                    \
  static inline result name(unsigned mask, int predicate, leap_place at = LEAP_HERE) { \
    return static_cast<result>(leap_warp(kind, mask, predicate != 0, 0, 32, at));      \
  }
LEAP_VOTE(int, __all_sync, LEAP_VOTE_ALL)
LEAP_VOTE(int, __any_sync, LEAP_VOTE_ANY)
LEAP_VOTE(int, __uni_sync, LEAP_VOTE_UNI)
LEAP_VOTE(unsigned, __ballot_sync, LEAP_BALLOT)
#undef LEAP_VOTE

#define LEAP_MATCH(T)                                                                           \
  static inline unsigned __match_any_sync(unsigned mask, T value, leap_place at = LEAP_HERE) {  \
    return static_cast<unsigned>(                                                               \
        leap_warp(LEAP_MATCH_ANY, mask, ::leap::to_bits(value), 0, 32, at));                    \
  }                                                                                             \
  static inline unsigned __match_all_sync(unsigned mask, T value, int* predicate,               \
                                          leap_place at = LEAP_HERE) {                          \
    const unsigned all = static_cast<unsigned>(                                                 \
        leap_warp(LEAP_MATCH_ALL, mask, ::leap::to_bits(value), 0, 32, at));                    \
    *predicate = all != 0;                                                                      \
    return all;                                                                                 \
  }
LEAP_MATCH(int)
LEAP_MATCH(unsigned)
LEAP_MATCH(long)
LEAP_MATCH(unsigned long)
LEAP_MATCH(long long)
LEAP_MATCH(unsigned long long)
LEAP_MATCH(float)
LEAP_MATCH(double)
#undef LEAP_MATCH

#define LEAP_REDUCE(name, T, kind)                                                \
  static inline T name(unsigned mask, T value, leap_place at = LEAP_HERE) {     \
    return static_cast<T>(leap_warp(kind, mask, static_cast<unsigned>(value), 0, 32, at)); \
  }
LEAP_REDUCE(__reduce_add_sync, int, LEAP_REDUCE_ADD)
LEAP_REDUCE(__reduce_add_sync, unsigned, LEAP_REDUCE_ADD)
LEAP_REDUCE(__reduce_min_sync, int, LEAP_REDUCE_MIN_S)
LEAP_REDUCE(__reduce_min_sync, unsigned, LEAP_REDUCE_MIN_U)
LEAP_REDUCE(__reduce_max_sync, int, LEAP_REDUCE_MAX_S)
LEAP_REDUCE(__reduce_max_sync, unsigned, LEAP_REDUCE_MAX_U)
LEAP_REDUCE(__reduce_and_sync, unsigned, LEAP_REDUCE_AND)
LEAP_REDUCE(__reduce_or_sync, unsigned, LEAP_REDUCE_OR)
LEAP_REDUCE(__reduce_xor_sync, unsigned, LEAP_REDUCE_XOR)
#undef LEAP_REDUCE
