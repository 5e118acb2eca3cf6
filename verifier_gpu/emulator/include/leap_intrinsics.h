// Intrinsics on floating point: the fast ones, the rounding modes, loads and stores with hints.
#pragma once

#include <fenv.h>

#include "leap_math.h"

// ---- Fast mathematics ------------------------------------------------------------
// As the hardware has them: powers and logarithms of two, sines of turns. What a
// formula loses (a large argument of __sinf, a negative base of __powf) is lost here
// too; the last bits of the approximations themselves are not.
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

static inline float leap_expf(float x) { return exp2f(x * 1.44269504f); }
static inline float leap_exp10f(float x) { return exp2f(x * 3.32192809f); }
static inline float leap_log2f(float x) { return log2f(x); }
static inline float leap_logf(float x) { return log2f(x) * 0.693147181f; }
static inline float leap_log10f(float x) { return log2f(x) * 0.301029996f; }
static inline float leap_powf(float x, float y) { return exp2f(y * log2f(x)); }
static inline float leap_sinf(float x) { return sinpif(2.0f * (x * 0.159154943f)); }
static inline float leap_cosf(float x) { return cospif(2.0f * (x * 0.159154943f)); }
static inline float leap_tanf(float x) { return leap_sinf(x) / leap_cosf(x); }
static inline float leap_tanhf(float x) { return tanhf(x); }
static inline void leap_sincosf(float x, float* s, float* c) {
  *s = leap_sinf(x), *c = leap_cosf(x);
}
// The reciprocal of a divisor above 2^126 is flushed to zero.
static inline float __fdividef(float x, float y) { return fabsf(y) > 0x1p126f ? x * (1 / y) * 0 : x / y; }
static inline float fdividef(float x, float y) { return x / y; }
static inline float __saturatef(float x) { return x > 0.0f ? (x < 1.0f ? x : 1.0f) : 0.0f; }
static inline float __frsqrt_rn(float x) {
  return static_cast<float>(1.0 / sqrt(static_cast<double>(x)));
}

// ---- Rounding modes ----------------------------------------------------------------
namespace leap {
struct Rounding {
  int before = fegetround();
  explicit Rounding(int mode) { fesetround(mode); }
  ~Rounding() { fesetround(before); }
};
}  // namespace leap

// Volatile, so that the operation stays where the mode is set.
#define LEAP_ROUNDED(T, name, mode, parameters, variables, expression) \
  static inline T name parameters {                                    \
    const ::leap::Rounding leap_rounding(mode);                        \
    volatile variables;                                                \
    volatile T r = expression;                                         \
    return r;                                                          \
  }
#define LEAP_ROUNDED_FOR(T, p, add, fused, mode, suffix)                                      \
  LEAP_ROUNDED(T, __##p##add##_##suffix, mode, (T a, T b), T x = a; volatile T y = b, x + y)  \
  LEAP_ROUNDED(T, __##p##sub_##suffix, mode, (T a, T b), T x = a; volatile T y = b, x - y)    \
  LEAP_ROUNDED(T, __##p##mul_##suffix, mode, (T a, T b), T x = a; volatile T y = b, x * y)    \
  LEAP_ROUNDED(T, __##p##div_##suffix, mode, (T a, T b), T x = a; volatile T y = b, x / y)    \
  LEAP_ROUNDED(T, __##p##rcp_##suffix, mode, (T a), T x = a, 1 / x)                           \
  LEAP_ROUNDED(T, __##p##sqrt_##suffix, mode, (T a), T x = a, __builtin_sqrt##fused(x))       \
  LEAP_ROUNDED(T, __fma##fused##_##suffix, mode, (T a, T b, T c),                             \
               T x = a; volatile T y = b; volatile T z = c, fma##fused(x, y, z))
#define LEAP_CONVERTED_FOR(mode, suffix)                                                      \
  LEAP_ROUNDED(float, __int2float_##suffix, mode, (int a), int x = a, x)                      \
  LEAP_ROUNDED(float, __uint2float_##suffix, mode, (unsigned a), unsigned x = a, x)           \
  LEAP_ROUNDED(float, __ll2float_##suffix, mode, (long long a), long long x = a, x)           \
  LEAP_ROUNDED(float, __ull2float_##suffix, mode, (unsigned long long a), unsigned long long x = a, x) \
  LEAP_ROUNDED(float, __double2float_##suffix, mode, (double a), double x = a, x)             \
  LEAP_ROUNDED(double, __ll2double_##suffix, mode, (long long a), long long x = a, x)         \
  LEAP_ROUNDED(double, __ull2double_##suffix, mode, (unsigned long long a), unsigned long long x = a, x)
#define LEAP_ROUNDED_ALL(mode, suffix)                   \
  LEAP_ROUNDED_FOR(float, f, add, f, mode, suffix)       \
  LEAP_ROUNDED_FOR(double, d, add, , mode, suffix)       \
  LEAP_CONVERTED_FOR(mode, suffix)
LEAP_ROUNDED_ALL(FE_TONEAREST, rn)
LEAP_ROUNDED_ALL(FE_TOWARDZERO, rz)
LEAP_ROUNDED_ALL(FE_UPWARD, ru)
LEAP_ROUNDED_ALL(FE_DOWNWARD, rd)
#undef LEAP_ROUNDED_ALL
#undef LEAP_CONVERTED_FOR
#undef LEAP_ROUNDED_FOR
#undef LEAP_ROUNDED
static inline double __int2double_rn(int x) { return x; }
static inline double __uint2double_rn(unsigned int x) { return x; }
static inline int __double2hiint(double x) { return static_cast<int>(__double_as_longlong(x) >> 32); }
static inline int __double2loint(double x) { return static_cast<int>(__double_as_longlong(x)); }
static inline double __hiloint2double(int high, int low) {
  return __longlong_as_double(static_cast<long long>(high) << 32 | static_cast<unsigned>(low));
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
