// Device mathematics that the C library does not have under CUDA's names.
// The fast intrinsics (__expf, ...) are the precise functions here: an emulation
// must not fail a kernel for an error that it makes up.
#pragma once

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "leap_kernel.h"
#include "leap_narrow.h"

#define LEAP_F1(name, expression) static inline float name(float x) { return expression; }
#define LEAP_F2(name, expression) static inline float name(float x, float y) { return expression; }
#define LEAP_D1(name, expression) static inline double name(double x) { return expression; }
#define LEAP_D2(name, expression) static inline double name(double x, double y) { return expression; }

// glibc declares these names for itself, so they are macros here.
#define __expf leap_expf
#define __exp10f leap_exp10f
#define __logf leap_logf
#define __log2f leap_log2f
#define __log10f leap_log10f
#define __sinf leap_sinf
#define __cosf leap_cosf
#define __tanf leap_tanf
#define __tanhf leap_tanhf
#define __powf leap_powf
#define __sincosf leap_sincosf

// Functions that newer C libraries have themselves.
#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 41)
LEAP_F1(sinpif, static_cast<float>(sin(3.14159265358979323846 * static_cast<double>(x))))
LEAP_F1(cospif, static_cast<float>(cos(3.14159265358979323846 * static_cast<double>(x))))
LEAP_D1(sinpi, sin(3.14159265358979323846 * x))
LEAP_D1(cospi, cos(3.14159265358979323846 * x))
#endif
#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 42)
LEAP_F1(rsqrtf, 1.0f / sqrtf(x))
LEAP_D1(rsqrt, 1.0 / sqrt(x))
#endif

LEAP_F1(leap_expf, expf(x))
LEAP_F1(leap_exp10f, powf(10.0f, x))
LEAP_F1(leap_logf, logf(x))
LEAP_F1(leap_log2f, log2f(x))
LEAP_F1(leap_log10f, log10f(x))
LEAP_F1(leap_sinf, sinf(x))
LEAP_F1(leap_cosf, cosf(x))
LEAP_F1(leap_tanf, tanf(x))
LEAP_F1(leap_tanhf, tanhf(x))
LEAP_F1(__saturatef, x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f)
LEAP_F1(__frsqrt_rn, static_cast<float>(1.0 / sqrt(static_cast<double>(x))))
LEAP_F1(rcbrtf, 1.0f / cbrtf(x))
LEAP_F1(normcdff, 0.5f * erfcf(-x * 0.70710678118654752440f))
LEAP_F1(erfcxf, static_cast<float>(exp(static_cast<double>(x) * x) * erfc(static_cast<double>(x))))
LEAP_F2(leap_powf, powf(x, y))
LEAP_F2(__fdividef, x / y)
LEAP_F2(fdividef, x / y)
LEAP_D1(rcbrt, 1.0 / cbrt(x))
LEAP_D1(normcdf, 0.5 * erfc(-x * 0.70710678118654752440))
static inline float rsqrt(float x) { return rsqrtf(x); }
static inline void leap_sincosf(float x, float* s, float* c) { *s = sinf(x), *c = cosf(x); }
static inline void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }

// Rounding to nearest; the other modes differ by one unit in the last place.
LEAP_F2(__fadd_rn, x + y)
LEAP_F2(__fsub_rn, x - y)
LEAP_F2(__fmul_rn, x * y)
LEAP_F2(__fdiv_rn, x / y)
LEAP_F1(__frcp_rn, 1.0f / x)
LEAP_F1(__fsqrt_rn, sqrtf(x))
LEAP_D2(__dadd_rn, x + y)
LEAP_D2(__dsub_rn, x - y)
LEAP_D2(__dmul_rn, x * y)
LEAP_D2(__ddiv_rn, x / y)
LEAP_D1(__drcp_rn, 1.0 / x)
LEAP_D1(__dsqrt_rn, sqrt(x))
static inline float __fmaf_rn(float x, float y, float z) { return fmaf(x, y, z); }
static inline double __fma_rn(double x, double y, double z) { return fma(x, y, z); }
#undef LEAP_F1
#undef LEAP_F2
#undef LEAP_D1
#undef LEAP_D2

static inline float norm3df(float a, float b, float c) { return sqrtf(a * a + b * b + c * c); }
static inline float rnorm3df(float a, float b, float c) { return 1.0f / norm3df(a, b, c); }

// ---- min, max: CUDA's overloads ----------------------------------------------
#define LEAP_MINMAX(T, A, B)                                                             \
  static inline T min(A a, B b) { return static_cast<T>(a) < static_cast<T>(b) ? static_cast<T>(a) : static_cast<T>(b); } \
  static inline T max(A a, B b) { return static_cast<T>(a) > static_cast<T>(b) ? static_cast<T>(a) : static_cast<T>(b); }
LEAP_MINMAX(int, int, int)
LEAP_MINMAX(unsigned int, unsigned int, unsigned int)
LEAP_MINMAX(unsigned int, int, unsigned int)
LEAP_MINMAX(unsigned int, unsigned int, int)
LEAP_MINMAX(long, long, long)
LEAP_MINMAX(unsigned long, unsigned long, unsigned long)
LEAP_MINMAX(unsigned long, long, unsigned long)
LEAP_MINMAX(unsigned long, unsigned long, long)
LEAP_MINMAX(long long, long long, long long)
LEAP_MINMAX(unsigned long long, unsigned long long, unsigned long long)
LEAP_MINMAX(unsigned long long, long long, unsigned long long)
LEAP_MINMAX(unsigned long long, unsigned long long, long long)
#undef LEAP_MINMAX
static inline float min(float a, float b) { return fminf(a, b); }
static inline float max(float a, float b) { return fmaxf(a, b); }
static inline double min(double a, double b) { return fmin(a, b); }
static inline double max(double a, double b) { return fmax(a, b); }
static inline double min(float a, double b) { return min(static_cast<double>(a), b); }
static inline double min(double a, float b) { return min(a, static_cast<double>(b)); }
static inline double max(float a, double b) { return max(static_cast<double>(a), b); }
static inline double max(double a, float b) { return max(a, static_cast<double>(b)); }
static inline unsigned int umin(unsigned int a, unsigned int b) { return a < b ? a : b; }
static inline unsigned int umax(unsigned int a, unsigned int b) { return a > b ? a : b; }

// ---- Conversions ---------------------------------------------------------------
#define LEAP_SAME_BITS(name, To, From)       \
  static inline To name(From x) {            \
    To result;                               \
    __builtin_memcpy(&result, &x, sizeof x); \
    return result;                           \
  }
LEAP_SAME_BITS(__float_as_int, int, float)
LEAP_SAME_BITS(__float_as_uint, unsigned int, float)
LEAP_SAME_BITS(__int_as_float, float, int)
LEAP_SAME_BITS(__uint_as_float, float, unsigned int)
LEAP_SAME_BITS(__double_as_longlong, long long, double)
LEAP_SAME_BITS(__longlong_as_double, double, long long)
#undef LEAP_SAME_BITS

// Float to integer as the GPU does it: saturating, NaN becomes 0.
#define LEAP_SATURATING(name, I, F, round, low, high) \
  static inline I name(F x) {                         \
    if (x != x) return 0;                             \
    const F y = round(x);                             \
    if (y <= static_cast<F>(low)) return low;         \
    if (y >= static_cast<F>(high)) return high;       \
    return static_cast<I>(y);                         \
  }
#define LEAP_TO_INT(suffix, round)                                                           \
  LEAP_SATURATING(__float2int_##suffix, int, float, round##f, INT_MIN, INT_MAX)              \
  LEAP_SATURATING(__float2uint_##suffix, unsigned int, float, round##f, 0u, UINT_MAX)        \
  LEAP_SATURATING(__float2ll_##suffix, long long, float, round##f, LLONG_MIN, LLONG_MAX)     \
  LEAP_SATURATING(__double2int_##suffix, int, double, round, INT_MIN, INT_MAX)               \
  LEAP_SATURATING(__double2ll_##suffix, long long, double, round, LLONG_MIN, LLONG_MAX)
LEAP_TO_INT(rn, rint)
LEAP_TO_INT(rz, trunc)
LEAP_TO_INT(rd, floor)
LEAP_TO_INT(ru, ceil)
#undef LEAP_TO_INT
#undef LEAP_SATURATING
static inline float __int2float_rn(int x) { return static_cast<float>(x); }
static inline float __uint2float_rn(unsigned int x) { return static_cast<float>(x); }
static inline float __ll2float_rn(long long x) { return static_cast<float>(x); }
static inline float __double2float_rn(double x) { return static_cast<float>(x); }
static inline double __int2double_rn(int x) { return x; }

// ---- Integers -------------------------------------------------------------------
static inline int __popc(unsigned int x) { return __builtin_popcount(x); }
static inline int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static inline int __clz(int x) { return x ? __builtin_clz(static_cast<unsigned>(x)) : 32; }
static inline int __clzll(long long x) { return x ? __builtin_clzll(static_cast<unsigned long long>(x)) : 64; }
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __ffsll(long long x) { return __builtin_ffsll(x); }
static inline unsigned int __brev(unsigned int x) {
  unsigned int r = 0;
  for (int i = 0; i < 32; ++i) r |= (x >> i & 1u) << (31 - i);
  return r;
}
static inline int __mul24(int a, int b) { return (a << 8 >> 8) * (b << 8 >> 8); }
static inline unsigned int __umul24(unsigned int a, unsigned int b) { return (a & 0xffffffu) * (b & 0xffffffu); }
static inline int __mulhi(int a, int b) { return static_cast<int>(static_cast<long long>(a) * b >> 32); }
static inline unsigned int __umulhi(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>(static_cast<unsigned long long>(a) * b >> 32);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b) {
  return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}
static inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i) {
    c += static_cast<signed char>(a >> 8 * i) * static_cast<signed char>(b >> 8 * i);
  }
  return c;
}
static inline int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
static inline unsigned int __sad(int a, int b, unsigned int c) {
  return c + static_cast<unsigned int>(a > b ? static_cast<long long>(a) - b : static_cast<long long>(b) - a);
}
static inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
  return static_cast<unsigned int>(((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31)) >> 32);
}
static inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}
static inline unsigned int __byte_perm(unsigned int a, unsigned int b, unsigned int selector) {
  const unsigned long long bytes = static_cast<unsigned long long>(b) << 32 | a;
  unsigned int result = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned int choice = selector >> 4 * i & 15;
    unsigned int byte = static_cast<unsigned int>(bytes >> 8 * (choice & 7)) & 0xff;
    if (choice & 8) byte = byte & 0x80 ? 0xff : 0;
    result |= byte << 8 * i;
  }
  return result;
}

// ---- Loads and stores with cache hints ------------------------------------------
// For the types that CUDA has; a struct is refused, and a stored value converted.
#define LEAP_LOAD(T, name) static __forceinline__ T name(const T* p) { return *p; }
#define LEAP_STORE(T, name) static __forceinline__ void name(T* p, T value) { *p = value; }
#define LEAP_CACHE_HINTS(T) \
  LEAP_LOAD(T, __ldg)       \
  LEAP_LOAD(T, __ldca)      \
  LEAP_LOAD(T, __ldcg)      \
  LEAP_LOAD(T, __ldcs)      \
  LEAP_LOAD(T, __ldlu)      \
  LEAP_LOAD(T, __ldcv)      \
  LEAP_STORE(T, __stwb)     \
  LEAP_STORE(T, __stcg)     \
  LEAP_STORE(T, __stcs)     \
  LEAP_STORE(T, __stwt)
LEAP_CACHE_HINTS(char)
LEAP_CACHE_HINTS(signed char)
LEAP_CACHE_HINTS(unsigned char)
LEAP_CACHE_HINTS(short)
LEAP_CACHE_HINTS(unsigned short)
LEAP_CACHE_HINTS(int)
LEAP_CACHE_HINTS(unsigned int)
LEAP_CACHE_HINTS(long)
LEAP_CACHE_HINTS(unsigned long)
LEAP_CACHE_HINTS(long long)
LEAP_CACHE_HINTS(unsigned long long)
LEAP_CACHE_HINTS(float)
LEAP_CACHE_HINTS(double)
LEAP_CACHE_HINTS(char2)
LEAP_CACHE_HINTS(char4)
LEAP_CACHE_HINTS(uchar2)
LEAP_CACHE_HINTS(uchar4)
LEAP_CACHE_HINTS(short2)
LEAP_CACHE_HINTS(short4)
LEAP_CACHE_HINTS(ushort2)
LEAP_CACHE_HINTS(ushort4)
LEAP_CACHE_HINTS(int2)
LEAP_CACHE_HINTS(int4)
LEAP_CACHE_HINTS(uint2)
LEAP_CACHE_HINTS(uint4)
LEAP_CACHE_HINTS(longlong2)
LEAP_CACHE_HINTS(ulonglong2)
LEAP_CACHE_HINTS(float2)
LEAP_CACHE_HINTS(float4)
LEAP_CACHE_HINTS(double2)
