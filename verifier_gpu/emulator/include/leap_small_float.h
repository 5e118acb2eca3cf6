// What __half and __nv_bfloat16 have in common: a 16-bit storage type whose
// arithmetic is done in float (exact enough that one rounding to 16 bits gives
// the right result for + - * / and sqrt) and rounded to nearest even.
#pragma once

#include "cuda_runtime.h"

namespace leap {

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

// The storage type T with its constructors and conversions; E and M as above.
#define LEAP_SMALL_FLOAT(T, E, M, CONVERSIONS)                          \
  struct alignas(2) T {                                                 \
    unsigned short leap_bits;                                           \
    T() = default;                                                      \
    static T from(double value, int direction = FE_TONEAREST) {         \
      T result;                                                         \
      result.leap_bits = ::leap::narrow<E, M>(value, direction);        \
      return result;                                                    \
    }                                                                   \
    float value() const { return ::leap::widen<E, M>(leap_bits); }      \
    CONVERSIONS(T)                                                      \
  };

#define LEAP_CONVERSIONS(T)                                                    \
  T(float x) : T(from(x)) {}                                                   \
  T(double x) : T(from(x)) {}                                                  \
  T(int x) : T(from(x)) {}                                                     \
  T(unsigned int x) : T(from(x)) {}                                            \
  T(long x) : T(from(static_cast<double>(x))) {}                               \
  T(unsigned long x) : T(from(static_cast<double>(x))) {}                      \
  T(long long x) : T(from(static_cast<double>(x))) {}                          \
  T(unsigned long long x) : T(from(static_cast<double>(x))) {}                 \
  operator float() const { return value(); }
#define LEAP_NO_CONVERSIONS(T)

// Operators of T and of its pair type; left out where the macros of the real
// headers (__CUDA_NO_HALF_OPERATORS__ ...) say so.
#define LEAP_OPERATORS(T, add, sub, mul, div, neg)                             \
  static inline T operator+(T a, T b) { return add(a, b); }                    \
  static inline T operator-(T a, T b) { return sub(a, b); }                    \
  static inline T operator*(T a, T b) { return mul(a, b); }                    \
  static inline T operator/(T a, T b) { return div(a, b); }                    \
  static inline T& operator+=(T& a, T b) { return a = add(a, b); }             \
  static inline T& operator-=(T& a, T b) { return a = sub(a, b); }             \
  static inline T& operator*=(T& a, T b) { return a = mul(a, b); }             \
  static inline T& operator/=(T& a, T b) { return a = div(a, b); }             \
  static inline T operator-(T a) { return neg(a); }                            \
  static inline T operator+(T a) { return a; }

// The pair of T. Constructors as in CUDA, and none of them runs for a default value.
#define LEAP_SMALL_PAIR(T2, T)                                                 \
  struct alignas(4) T2 {                                                       \
    T x, y;                                                                    \
    T2() = default;                                                            \
    T2(const T& low, const T& high) : x(low), y(high) {}                       \
  };

#define LEAP_PAIR_COMPARISONS(T2)                                              \
  static inline bool operator==(T2 a, T2 b) { return __hbeq2(a, b); }          \
  static inline bool operator!=(T2 a, T2 b) { return __hbneu2(a, b); }         \
  static inline bool operator<(T2 a, T2 b) { return __hblt2(a, b); }           \
  static inline bool operator>(T2 a, T2 b) { return __hbgt2(a, b); }           \
  static inline bool operator<=(T2 a, T2 b) { return __hble2(a, b); }          \
  static inline bool operator>=(T2 a, T2 b) { return __hbge2(a, b); }

#define LEAP_COMPARISONS(T)                                                    \
  static inline bool operator==(T a, T b) { return a.value() == b.value(); }   \
  static inline bool operator!=(T a, T b) { return a.value() != b.value(); }   \
  static inline bool operator<(T a, T b) { return a.value() < b.value(); }     \
  static inline bool operator>(T a, T b) { return a.value() > b.value(); }     \
  static inline bool operator<=(T a, T b) { return a.value() <= b.value(); }   \
  static inline bool operator>=(T a, T b) { return a.value() >= b.value(); }
