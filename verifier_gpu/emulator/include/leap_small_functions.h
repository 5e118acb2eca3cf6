// The functions that __half and __nv_bfloat16 have under the same names.
#pragma once

#include "leap_small_float.h"

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
// A comparison, the one that holds for NaN as well, and their forms for pairs.
#define LEAP_SMALL_COMPARE(T, T2, name, expression)                                       \
  static inline bool __h##name(T a, T b) {                                                \
    const float x = a.value(), y = b.value();                                             \
    return x == x && y == y && expression;                                                \
  }                                                                                       \
  static inline bool __h##name##u(T a, T b) {                                             \
    return __hisnan(a) || __hisnan(b) || __h##name(a, b);                                 \
  }                                                                                       \
  LEAP_PAIR_COMPARE(T, T2, name)                                                          \
  LEAP_PAIR_COMPARE(T, T2, name##u)
#define LEAP_PAIR_COMPARE(T, T2, name)                                                    \
  static inline T2 __h##name##2(T2 a, T2 b) {                                             \
    return T2{T::from(__h##name(a.x, b.x)), T::from(__h##name(a.y, b.y))};                \
  }                                                                                       \
  static inline bool __hb##name##2(T2 a, T2 b) {                                          \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                    \
  }
#define LEAP_PAIR_1(T2, name, scalar) \
  static inline T2 name(T2 a) { return T2{scalar(a.x), scalar(a.y)}; }
#define LEAP_PAIR_2(T2, name, scalar) \
  static inline T2 name(T2 a, T2 b) { return T2{scalar(a.x, b.x), scalar(a.y, b.y)}; }
#define LEAP_PAIR_3(T2, name, scalar)                                        \
  static inline T2 name(T2 a, T2 b, T2 c) {                                  \
    return T2{scalar(a.x, b.x, c.x), scalar(a.y, b.y, c.y)};                 \
  }

// Conversions between T, whose name in them is `small`, and the other numbers.
#define LEAP_SMALL_CONVERT(T, small, direction, suffix)                                          \
  static inline T __float2##small##_##suffix(float x) { return T::from(x, direction); }          \
  LEAP_SMALL_FROM(T, small, int, int, direction, suffix)                                         \
  LEAP_SMALL_FROM(T, small, uint, unsigned int, direction, suffix)                               \
  LEAP_SMALL_FROM(T, small, short, short, direction, suffix)                                     \
  LEAP_SMALL_FROM(T, small, ushort, unsigned short, direction, suffix)                           \
  LEAP_SMALL_FROM(T, small, ll, long long, direction, suffix)                                    \
  LEAP_SMALL_FROM(T, small, ull, unsigned long long, direction, suffix)                          \
  static inline int __##small##2int_##suffix(T x) { return __float2int_##suffix(x.value()); }    \
  static inline unsigned int __##small##2uint_##suffix(T x) {                                    \
    return __float2uint_##suffix(x.value());                                                     \
  }                                                                                              \
  static inline long long __##small##2ll_##suffix(T x) { return __float2ll_##suffix(x.value()); } \
  static inline unsigned long long __##small##2ull_##suffix(T x) {                               \
    return __float2ull_##suffix(x.value());                                                      \
  }
#define LEAP_SMALL_FROM(T, small, name, I, direction, suffix) \
  static inline T __##name##2##small##_##suffix(I x) { return T::from(static_cast<double>(x), direction); }
#define LEAP_SMALL_CONVERSIONS(T, small)                                                         \
  LEAP_SMALL_CONVERT(T, small, FE_TONEAREST, rn)                                                 \
  LEAP_SMALL_CONVERT(T, small, FE_TOWARDZERO, rz)                                                \
  LEAP_SMALL_CONVERT(T, small, FE_UPWARD, ru)                                                    \
  LEAP_SMALL_CONVERT(T, small, FE_DOWNWARD, rd)                                                  \
  static inline T __float2##small(float x) { return T::from(x); }                                \
  static inline T __double2##small(double x) { return T::from(x); }                              \
  static inline float __##small##2float(T x) { return x.value(); }                               \
  static inline unsigned short __##small##_as_ushort(T x) { return x.leap_bits; }                \
  static inline short __##small##_as_short(T x) { return static_cast<short>(x.leap_bits); }      \
  static inline T __ushort_as_##small(unsigned short x) {                                        \
    T result;                                                                                    \
    result.leap_bits = x;                                                                        \
    return result;                                                                               \
  }                                                                                              \
  static inline T __short_as_##small(short x) {                                                  \
    return __ushort_as_##small(static_cast<unsigned short>(x));                                  \
  }

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
  LEAP_SMALL_2(T, __hsub_sat, __saturatef(x - y))                                         \
  LEAP_SMALL_2(T, __hmul_sat, __saturatef(x * y))                                         \
  LEAP_SMALL_2(T, __hmax, fmaxf(x, y))                                                    \
  LEAP_SMALL_2(T, __hmin, fminf(x, y))                                                    \
  LEAP_SMALL_2(T, __hmax_nan, x != x || y != y ? NAN : fmaxf(x, y))                       \
  LEAP_SMALL_2(T, __hmin_nan, x != x || y != y ? NAN : fminf(x, y))                       \
  static inline T __hfma(T a, T b, T c) {                                                 \
    return T::from(static_cast<double>(a.value()) * b.value() + c.value());               \
  }                                                                                       \
  static inline T __hfma_sat(T a, T b, T c) {                                             \
    const double r = static_cast<double>(a.value()) * b.value() + c.value();              \
    return T::from(r > 0 ? (r < 1 ? r : 1) : 0);                                          \
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
  LEAP_SMALL_1(T, hexp10, exp10f(x))                                                      \
  LEAP_SMALL_1(T, hlog, logf(x))                                                          \
  LEAP_SMALL_1(T, hlog2, log2f(x))                                                        \
  LEAP_SMALL_1(T, hlog10, log10f(x))                                                      \
  LEAP_SMALL_1(T, hsqrt, sqrtf(x))                                                        \
  LEAP_SMALL_1(T, hrsqrt, 1.0 / sqrt(static_cast<double>(x)))                             \
  LEAP_SMALL_1(T, hrcp, 1.0f / x)                                                         \
  LEAP_SMALL_1(T, hsin, sinf(x))                                                          \
  LEAP_SMALL_1(T, hcos, cosf(x))                                                          \
  LEAP_SMALL_1(T, htanh, tanhf(x))                                                        \
  LEAP_SMALL_1(T, htanh_approx, tanhf(x))                                                 \
  LEAP_SMALL_1(T, hfloor, floorf(x))                                                      \
  LEAP_SMALL_1(T, hceil, ceilf(x))                                                        \
  LEAP_SMALL_1(T, htrunc, truncf(x))                                                      \
  LEAP_SMALL_1(T, hrint, rintf(x))                                                        \
  static inline bool __hisnan(T a) { return a.value() != a.value(); }                     \
  static inline T2 __hisnan2(T2 a) {                                                      \
    return T2{T::from(__hisnan(a.x)), T::from(__hisnan(a.y))};                            \
  }                                                                                       \
  LEAP_SMALL_COMPARE(T, T2, eq, x == y)                                                   \
  LEAP_SMALL_COMPARE(T, T2, ne, x != y)                                                   \
  LEAP_SMALL_COMPARE(T, T2, lt, x < y)                                                    \
  LEAP_SMALL_COMPARE(T, T2, le, x <= y)                                                   \
  LEAP_SMALL_COMPARE(T, T2, gt, x > y)                                                    \
  LEAP_SMALL_COMPARE(T, T2, ge, x >= y)                                                   \
  static inline int __hisinf(T a) { return isinf(a.value()) ? (a.value() < 0 ? -1 : 1) : 0; } \
  LEAP_PAIR_2(T2, __hadd2, __hadd)                                                        \
  LEAP_PAIR_2(T2, __hsub2, __hsub)                                                        \
  LEAP_PAIR_2(T2, __hmul2, __hmul)                                                        \
  LEAP_PAIR_2(T2, __h2div, __hdiv)                                                        \
  LEAP_PAIR_2(T2, __hmax2, __hmax)                                                        \
  LEAP_PAIR_2(T2, __hmin2, __hmin)                                                        \
  LEAP_PAIR_2(T2, __hmax2_nan, __hmax_nan)                                                \
  LEAP_PAIR_2(T2, __hmin2_nan, __hmin_nan)                                                \
  LEAP_PAIR_2(T2, __hadd2_rn, __hadd)                                                     \
  LEAP_PAIR_2(T2, __hsub2_rn, __hsub)                                                     \
  LEAP_PAIR_2(T2, __hmul2_rn, __hmul)                                                     \
  LEAP_PAIR_2(T2, __hadd2_sat, __hadd_sat)                                                \
  LEAP_PAIR_2(T2, __hsub2_sat, __hsub_sat)                                                \
  LEAP_PAIR_2(T2, __hmul2_sat, __hmul_sat)                                                \
  LEAP_PAIR_1(T2, __hneg2, __hneg)                                                        \
  LEAP_PAIR_1(T2, __habs2, __habs)                                                        \
  LEAP_PAIR_1(T2, h2exp, hexp)                                                            \
  LEAP_PAIR_1(T2, h2log, hlog)                                                            \
  LEAP_PAIR_1(T2, h2sqrt, hsqrt)                                                          \
  LEAP_PAIR_1(T2, h2rsqrt, hrsqrt)                                                        \
  LEAP_PAIR_1(T2, h2rcp, hrcp)                                                            \
  LEAP_PAIR_1(T2, h2tanh, htanh)                                                          \
  LEAP_PAIR_1(T2, h2tanh_approx, htanh)                                                   \
  LEAP_PAIR_1(T2, h2exp2, hexp2)                                                          \
  LEAP_PAIR_1(T2, h2exp10, hexp10)                                                        \
  LEAP_PAIR_1(T2, h2log2, hlog2)                                                          \
  LEAP_PAIR_1(T2, h2log10, hlog10)                                                        \
  LEAP_PAIR_1(T2, h2sin, hsin)                                                            \
  LEAP_PAIR_1(T2, h2cos, hcos)                                                            \
  LEAP_PAIR_1(T2, h2floor, hfloor)                                                        \
  LEAP_PAIR_1(T2, h2ceil, hceil)                                                          \
  LEAP_PAIR_1(T2, h2trunc, htrunc)                                                        \
  LEAP_PAIR_1(T2, h2rint, hrint)                                                          \
  LEAP_PAIR_3(T2, __hfma2, __hfma)                                                        \
  LEAP_PAIR_3(T2, __hfma2_sat, __hfma_sat)                                                \
  LEAP_PAIR_3(T2, __hfma2_relu, __hfma_relu)                                              \
  static inline float __low2float(T2 a) { return a.x.value(); }                           \
  static inline float __high2float(T2 a) { return a.y.value(); }                          \
  static inline T2 __lowhigh2highlow(T2 a) { return T2{a.y, a.x}; }                       \
  LEAP_CACHE_HINTS(T)                                                                     \
  LEAP_CACHE_HINTS(T2)                                                                    \
  LEAP_SHUFFLES(T)                                                                        \
  LEAP_SHUFFLES(T2)                                                                       \
  LEAP_SMALL_ATOMIC(T, __hadd)                                                            \
  LEAP_SMALL_ATOMIC(T2, __hadd2)
