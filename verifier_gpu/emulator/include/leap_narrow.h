// Between float or double and the 16-bit formats, for the headers and the runtime library.
#pragma once

#include <fenv.h>
#include <math.h>

namespace leap {

template <class To, class From>
inline To same_bits(From value) {
  static_assert(sizeof(To) == sizeof(From), "");
  To result;
  __builtin_memcpy(&result, &value, sizeof(To));
  return result;
}

// Rounds to a format of 1 sign, E exponent and M mantissa bits: to nearest, ties to even,
// or toward another direction of <fenv.h>.
template <int E, int M>
inline unsigned short narrow(double value, int direction = FE_TONEAREST) {
  const unsigned long long bits = same_bits<unsigned long long>(value);
  const unsigned sign = static_cast<unsigned>(bits >> 63) << 15;
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1023;
  const unsigned long long mantissa = bits & 0xfffffffffffffull;
  constexpr int bias = (1 << (E - 1)) - 1;
  constexpr unsigned infinity = ((1u << E) - 1) << M;
  if (exponent == 1024) {
    return static_cast<unsigned short>(mantissa ? 0x7fffu : sign | infinity);
  }
  const bool away = value != 0 && direction == (sign ? FE_DOWNWARD : FE_UPWARD);
  if (exponent < -bias - M - 1) return static_cast<unsigned short>(sign | away);
  // The significand with its hidden bit, shifted right until M bits remain:
  // more for subnormals, which have no hidden bit.
  int drop = 52 - M;
  unsigned field = static_cast<unsigned>(exponent + bias);
  if (exponent < 1 - bias) drop += 1 - bias - exponent, field = 0;
  const unsigned long long significand = mantissa | 1ull << 52;
  unsigned long long kept = significand >> drop;
  const unsigned long long rest = significand & ((1ull << drop) - 1), half = 1ull << (drop - 1);
  if (direction == FE_TONEAREST ? rest > half || (rest == half && (kept & 1)) : away && rest) ++kept;
  // A carry out of the mantissa correctly becomes the next exponent.
  const unsigned result = field ? ((field - 1) << M) + static_cast<unsigned>(kept)
                                : static_cast<unsigned>(kept);
  if (result < infinity) return static_cast<unsigned short>(sign | result);
  const bool to_infinity = direction == FE_TONEAREST || away;
  return static_cast<unsigned short>(sign | (to_infinity ? infinity : infinity - 1));
}

template <int E, int M>
inline float widen(unsigned short bits) {
  const unsigned sign = static_cast<unsigned>(bits & 0x8000u) << 16;
  const unsigned field = bits >> M & ((1u << E) - 1), mantissa = bits & ((1u << M) - 1);
  constexpr int bias = (1 << (E - 1)) - 1;
  if (field == (1u << E) - 1) return same_bits<float>(sign | 0x7f800000u | mantissa << (23 - M));
  if (field == 0) {
    const float magnitude = ldexpf(static_cast<float>(mantissa), 1 - bias - M);
    return sign ? -magnitude : magnitude;
  }
  return same_bits<float>(sign | (field - bias + 127) << 23 | mantissa << (23 - M));
}

}  // namespace leap
