// IEEE half precision under CUDA's names.
#pragma once

#include "leap_small_functions.h"

#ifdef __CUDA_NO_HALF_CONVERSIONS__
LEAP_SMALL_FLOAT(__half, 5, 10, LEAP_NO_CONVERSIONS)
#else
LEAP_SMALL_FLOAT(__half, 5, 10, LEAP_CONVERSIONS)
#endif
typedef __half half;

LEAP_SMALL_PAIR(__half2, __half)
typedef __half2 half2;

LEAP_SMALL_FUNCTIONS(__half, __half2)

LEAP_SMALL_CONVERSIONS(__half, half)

static inline __half2 __halves2half2(__half low, __half high) { return __half2{low, high}; }
static inline __half2 make_half2(__half x, __half y) { return __half2{x, y}; }
static inline __half2 __half2half2(__half x) { return __half2{x, x}; }
static inline __half2 __float2half2_rn(float x) { return __half2half2(__half::from(x)); }
static inline __half2 __floats2half2_rn(float x, float y) {
  return __half2{__half::from(x), __half::from(y)};
}
static inline __half2 __float22half2_rn(float2 x) { return __floats2half2_rn(x.x, x.y); }
static inline float2 __half22float2(__half2 x) { return float2{x.x.value(), x.y.value()}; }
static inline __half __low2half(__half2 x) { return x.x; }
static inline __half __high2half(__half2 x) { return x.y; }
static inline __half2 __low2half2(__half2 x) { return __half2{x.x, x.x}; }
static inline __half2 __high2half2(__half2 x) { return __half2{x.y, x.y}; }
static inline __half2 __lows2half2(__half2 a, __half2 b) { return __half2{a.x, b.x}; }
static inline __half2 __highs2half2(__half2 a, __half2 b) { return __half2{a.y, b.y}; }

#ifndef __CUDA_NO_HALF_OPERATORS__
LEAP_OPERATORS(__half, __hadd, __hsub, __hmul, __hdiv, __hneg)
LEAP_COMPARISONS(__half)
#endif
#ifndef __CUDA_NO_HALF2_OPERATORS__
LEAP_OPERATORS(__half2, __hadd2, __hsub2, __hmul2, __h2div, __hneg2)
LEAP_PAIR_COMPARISONS(__half2)
#endif
