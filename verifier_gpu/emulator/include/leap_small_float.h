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
    static T from(double value) {                                       \
      T result;                                                         \
      result.leap_bits = ::leap::narrow<E, M>(value);                   \
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

#define LEAP_COMPARISONS(T)                                                    \
  static inline bool operator==(T a, T b) { return a.value() == b.value(); }   \
  static inline bool operator!=(T a, T b) { return a.value() != b.value(); }   \
  static inline bool operator<(T a, T b) { return a.value() < b.value(); }     \
  static inline bool operator>(T a, T b) { return a.value() > b.value(); }     \
  static inline bool operator<=(T a, T b) { return a.value() <= b.value(); }   \
  static inline bool operator>=(T a, T b) { return a.value() >= b.value(); }

#define LEAP_SMALL_1(T, name, expression)              \
  static inline T name(T a) {                          \
    const float x = a.value();                         \
    return T::from(expression);                        \
  }
#define LEAP_SMALL_2(T, name, expression)              \
  static inline T name(T a, T b) {                     \
    const float x = a.value(), y = b.value();          \
    return T::from(expression);                        \
  }
#define LEAP_SMALL_COMPARE(T, name, expression)        \
  static inline bool name(T a, T b) {                  \
    const float x = a.value(), y = b.value();          \
    return expression;                                 \
  }
#define LEAP_PAIR_1(T2, name, scalar) \
  static inline T2 name(T2 a) { return T2{scalar(a.x), scalar(a.y)}; }
#define LEAP_PAIR_2(T2, name, scalar) \
  static inline T2 name(T2 a, T2 b) { return T2{scalar(a.x, b.x), scalar(a.y, b.y)}; }

#define LEAP_SMALL_ATOMIC(T, add)                                                         \
  LEAP_PLAIN static inline T atomicAdd(T* address, T value, leap_place at = LEAP_HERE) {  \
    leap_atomic_access(address, sizeof(T), at);                                           \
    const T old = *address;                                                               \
    *address = add(old, value);                                                           \
    return old;                                                                           \
  }

// The functions that both formats have under the same names.
#define LEAP_SMALL_FUNCTIONS(T, T2)                                                       \
  LEAP_SMALL_2(T, __hadd, x + y)                                                          \
  LEAP_SMALL_2(T, __hsub, x - y)                                                          \
  LEAP_SMALL_2(T, __hmul, x * y)                                                          \
  LEAP_SMALL_2(T, __hdiv, x / y)                                                          \
  LEAP_SMALL_2(T, __hadd_rn, x + y)                                                       \
  LEAP_SMALL_2(T, __hsub_rn, x - y)                                                       \
  LEAP_SMALL_2(T, __hmul_rn, x * y)                                                       \
  LEAP_SMALL_2(T, __hadd_sat, __saturatef(x + y))                                         \
  LEAP_SMALL_2(T, __hmul_sat, __saturatef(x * y))                                         \
  LEAP_SMALL_2(T, __hmax, fmaxf(x, y))                                                    \
  LEAP_SMALL_2(T, __hmin, fminf(x, y))                                                    \
  static inline T __hfma(T a, T b, T c) {                                                 \
    return T::from(static_cast<double>(a.value()) * b.value() + c.value());               \
  }                                                                                       \
  static inline T __hfma_relu(T a, T b, T c) {                                            \
    const double r = static_cast<double>(a.value()) * b.value() + c.value();              \
    return T::from(r < 0 ? 0 : r);                                                        \
  }                                                                                       \
  static inline T __hneg(T a) {                                                           \
    a.leap_bits ^= 0x8000u;                                                               \
    return a;                                                                             \
  }                                                                                       \
  static inline T __habs(T a) {                                                           \
    a.leap_bits &= 0x7fffu;                                                               \
    return a;                                                                             \
  }                                                                                       \
  LEAP_SMALL_1(T, hexp, expf(x))                                                          \
  LEAP_SMALL_1(T, hexp2, exp2f(x))                                                        \
  LEAP_SMALL_1(T, hlog, logf(x))                                                          \
  LEAP_SMALL_1(T, hlog2, log2f(x))                                                        \
  LEAP_SMALL_1(T, hsqrt, sqrtf(x))                                                        \
  LEAP_SMALL_1(T, hrsqrt, 1.0 / sqrt(static_cast<double>(x)))                             \
  LEAP_SMALL_1(T, hrcp, 1.0f / x)                                                         \
  LEAP_SMALL_1(T, hsin, sinf(x))                                                          \
  LEAP_SMALL_1(T, hcos, cosf(x))                                                          \
  LEAP_SMALL_1(T, htanh, tanhf(x))                                                        \
  LEAP_SMALL_1(T, hfloor, floorf(x))                                                      \
  LEAP_SMALL_1(T, hceil, ceilf(x))                                                        \
  LEAP_SMALL_1(T, htrunc, truncf(x))                                                      \
  LEAP_SMALL_1(T, hrint, rintf(x))                                                        \
  LEAP_SMALL_COMPARE(T, __heq, x == y)                                                    \
  LEAP_SMALL_COMPARE(T, __hne, x != y && x == x && y == y)                                \
  LEAP_SMALL_COMPARE(T, __hlt, x < y)                                                     \
  LEAP_SMALL_COMPARE(T, __hle, x <= y)                                                    \
  LEAP_SMALL_COMPARE(T, __hgt, x > y)                                                     \
  LEAP_SMALL_COMPARE(T, __hge, x >= y)                                                    \
  static inline bool __hisnan(T a) { return a.value() != a.value(); }                     \
  static inline int __hisinf(T a) { return isinf(a.value()) ? (a.value() < 0 ? -1 : 1) : 0; } \
  LEAP_PAIR_2(T2, __hadd2, __hadd)                                                        \
  LEAP_PAIR_2(T2, __hsub2, __hsub)                                                        \
  LEAP_PAIR_2(T2, __hmul2, __hmul)                                                        \
  LEAP_PAIR_2(T2, __h2div, __hdiv)                                                        \
  LEAP_PAIR_2(T2, __hmax2, __hmax)                                                        \
  LEAP_PAIR_2(T2, __hmin2, __hmin)                                                        \
  LEAP_PAIR_1(T2, __hneg2, __hneg)                                                        \
  LEAP_PAIR_1(T2, __habs2, __habs)                                                        \
  LEAP_PAIR_1(T2, h2exp, hexp)                                                            \
  LEAP_PAIR_1(T2, h2log, hlog)                                                            \
  LEAP_PAIR_1(T2, h2sqrt, hsqrt)                                                          \
  LEAP_PAIR_1(T2, h2rsqrt, hrsqrt)                                                        \
  LEAP_PAIR_1(T2, h2rcp, hrcp)                                                            \
  LEAP_PAIR_1(T2, h2tanh, htanh)                                                          \
  static inline T2 __hfma2(T2 a, T2 b, T2 c) {                                            \
    return T2{__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y)};                              \
  }                                                                                       \
  static inline float __low2float(T2 a) { return a.x.value(); }                           \
  static inline float __high2float(T2 a) { return a.y.value(); }                          \
  static inline T2 __lowhigh2highlow(T2 a) { return T2{a.y, a.x}; }                       \
  LEAP_CACHE_HINTS(T)                                                                     \
  LEAP_CACHE_HINTS(T2)                                                                    \
  LEAP_SHUFFLES(T)                                                                        \
  LEAP_SHUFFLES(T2)                                                                       \
  LEAP_SMALL_ATOMIC(T, __hadd)                                                            \
  LEAP_SMALL_ATOMIC(T2, __hadd2)
