// What __half and __nv_bfloat16 have in common: a 16-bit storage type whose
// arithmetic is done in float (exact enough that one rounding to 16 bits gives
// the right result for + - * / and sqrt) and rounded to nearest even.
#pragma once

#include "cuda_runtime.h"
#include "leap_narrow.h"

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
