// bfloat16 under CUDA's names.
#pragma once

#include "leap_small_functions.h"

#ifdef __CUDA_NO_BFLOAT16_CONVERSIONS__
LEAP_SMALL_FLOAT(__nv_bfloat16, 8, 7, LEAP_NO_CONVERSIONS)
#else
LEAP_SMALL_FLOAT(__nv_bfloat16, 8, 7, LEAP_CONVERSIONS)
#endif
typedef __nv_bfloat16 nv_bfloat16;

LEAP_SMALL_PAIR(__nv_bfloat162, __nv_bfloat16)
typedef __nv_bfloat162 nv_bfloat162;

LEAP_SMALL_FUNCTIONS(__nv_bfloat16, __nv_bfloat162)

LEAP_SMALL_CONVERSIONS(__nv_bfloat16, bfloat16)

static inline __nv_bfloat162 __halves2bfloat162(__nv_bfloat16 low, __nv_bfloat16 high) {
  return __nv_bfloat162{low, high};
}
static inline __nv_bfloat162 make_bfloat162(__nv_bfloat16 x, __nv_bfloat16 y) {
  return __nv_bfloat162{x, y};
}
static inline __nv_bfloat162 __bfloat162bfloat162(__nv_bfloat16 x) { return __nv_bfloat162{x, x}; }
static inline __nv_bfloat162 __float2bfloat162_rn(float x) {
  return __bfloat162bfloat162(__nv_bfloat16::from(x));
}
static inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y) {
  return __nv_bfloat162{__nv_bfloat16::from(x), __nv_bfloat16::from(y)};
}
static inline __nv_bfloat162 __float22bfloat162_rn(float2 x) {
  return __floats2bfloat162_rn(x.x, x.y);
}
static inline float2 __bfloat1622float2(__nv_bfloat162 x) {
  return float2{x.x.value(), x.y.value()};
}
static inline __nv_bfloat16 __low2bfloat16(__nv_bfloat162 x) { return x.x; }
static inline __nv_bfloat16 __high2bfloat16(__nv_bfloat162 x) { return x.y; }
static inline __nv_bfloat162 __low2bfloat162(__nv_bfloat162 x) { return __nv_bfloat162{x.x, x.x}; }
static inline __nv_bfloat162 __high2bfloat162(__nv_bfloat162 x) { return __nv_bfloat162{x.y, x.y}; }
static inline __nv_bfloat162 __lows2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162{a.x, b.x};
}
static inline __nv_bfloat162 __highs2bfloat162(__nv_bfloat162 a, __nv_bfloat162 b) {
  return __nv_bfloat162{a.y, b.y};
}

#ifndef __CUDA_NO_BFLOAT16_OPERATORS__
LEAP_OPERATORS(__nv_bfloat16, __hadd, __hsub, __hmul, __hdiv, __hneg)
LEAP_COMPARISONS(__nv_bfloat16)
#endif
#ifndef __CUDA_NO_BFLOAT162_OPERATORS__
LEAP_OPERATORS(__nv_bfloat162, __hadd2, __hsub2, __hmul2, __h2div, __hneg2)
LEAP_PAIR_COMPARISONS(__nv_bfloat162)
#endif
