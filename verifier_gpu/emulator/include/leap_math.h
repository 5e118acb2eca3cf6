// Device mathematics that the C library does not have under CUDA's names.
#pragma once

#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "leap_kernel.h"
#include "leap_narrow.h"

#define LEAP_F1(name, expression) static inline float name(float x) { return expression; }
#define LEAP_D1(name, expression) static inline double name(double x) { return expression; }

// Functions that newer C libraries have themselves.
#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 41)
// A turn is 2: what goes beyond one is taken off before pi rounds it.
LEAP_D1(sinpi, sin(3.14159265358979323846 * (x - 2 * rint(x / 2))))
LEAP_D1(cospi, cos(3.14159265358979323846 * (x - 2 * rint(x / 2))))
LEAP_F1(sinpif, static_cast<float>(sinpi(static_cast<double>(x))))
LEAP_F1(cospif, static_cast<float>(cospi(static_cast<double>(x))))
#endif
#if !defined(__GLIBC__) || !__GLIBC_PREREQ(2, 42)
LEAP_F1(rsqrtf, 1.0f / sqrtf(x))
LEAP_D1(rsqrt, 1.0 / sqrt(x))
#endif

LEAP_F1(rcbrtf, 1.0f / cbrtf(x))
LEAP_F1(normcdff, 0.5f * erfcf(-x * 0.70710678118654752440f))
// Beyond 25 its factors leave double's range; there it is 1 / (sqrt(pi) x) to float's precision.
LEAP_F1(erfcxf, x > 25 ? 0.564189584f / x * (1 - (0.5f - 0.75f / (x * x)) / (x * x)) :
                static_cast<float>(exp(static_cast<double>(x) * x) * erfc(static_cast<double>(x))))
LEAP_D1(rcbrt, 1.0 / cbrt(x))
LEAP_D1(normcdf, 0.5 * erfc(-x * 0.70710678118654752440))
static inline float rsqrt(float x) { return rsqrtf(x); }
static inline void sincospif(float x, float* s, float* c) { *s = sinpif(x), *c = cospif(x); }

#undef LEAP_F1
#undef LEAP_D1

// ---- Norms, inverse error functions, modified Bessel functions -----------------
#define LEAP_NORMS(T, f)                                                                     \
  static inline T norm##f(int n, const T* p) {                                               \
    double sum = 0;                                                                          \
    for (int i = 0; i < n; ++i) sum += static_cast<double>(p[i]) * p[i];                     \
    return static_cast<T>(sqrt(sum));                                                        \
  }                                                                                          \
  static inline T norm3d##f(T a, T b, T c) { return sqrt##f(a * a + b * b + c * c); }        \
  static inline T norm4d##f(T a, T b, T c, T d) { return sqrt##f(a * a + b * b + c * c + d * d); } \
  static inline T rnorm##f(int n, const T* p) { return 1 / norm##f(n, p); }                  \
  static inline T rnorm3d##f(T a, T b, T c) { return 1 / norm3d##f(a, b, c); }               \
  static inline T rnorm4d##f(T a, T b, T c, T d) { return 1 / norm4d##f(a, b, c, d); }       \
  static inline T rhypot##f(T a, T b) { return 1 / hypot##f(a, b); }
LEAP_NORMS(float, f)
LEAP_NORMS(double, )
#undef LEAP_NORMS

// Inverse of erfc by bisection: erfc decreases, and is 0 in double beyond 28.
static inline double erfcinv(double y) {
  if (!(y >= 0 && y <= 2)) return NAN;
  if (y > 1) return -erfcinv(2 - y);
  if (y == 0) return INFINITY;
  double low = 0, high = 28;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (erfc(middle) > y ? low : high) = middle;
  }
  return low;
}
static inline double erfinv(double x) {
  if (fabs(x) > 0.5) return x > 0 ? erfcinv(1 - x) : -erfcinv(1 + x);
  double root = 0.886226925452758 * x;  // its slope at 0; then Newton's method
  for (int i = 0; i < 6; ++i) root -= (erf(root) - x) * 0.886226925452758 * exp(root * root);
  return root;
}
static inline double normcdfinv(double p) { return -1.41421356237309505 * erfcinv(2 * p); }
// The series of the modified Bessel functions: all terms have one sign.
static inline double leap_bessel(double first, int order, double x) {
  double term = first, sum = term;
  for (int k = 1; term > sum * 1e-17 && k < 2000; ++k) {
    term *= x * x / 4 / k / (k + order);
    sum += term;
  }
  return sum;
}
static inline double cyl_bessel_i0(double x) { return leap_bessel(1, 0, x); }
static inline double cyl_bessel_i1(double x) { return copysign(leap_bessel(fabs(x) / 2, 1, x), x); }
#define LEAP_IN_FLOAT(name) \
  static inline float name##f(float x) { return static_cast<float>(name(static_cast<double>(x))); }
LEAP_IN_FLOAT(erfcinv)
LEAP_IN_FLOAT(erfinv)
LEAP_IN_FLOAT(normcdfinv)
LEAP_IN_FLOAT(cyl_bessel_i0)
LEAP_IN_FLOAT(cyl_bessel_i1)
#undef LEAP_IN_FLOAT

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

// Float to integer as the GPU does it: saturating. NaN becomes 0, or the integer with the
// highest bit alone where one of the types has 64 bits.
#define LEAP_SATURATING(name, I, F, round, low, high) \
  static inline I name(F x) {                         \
    const bool wide = sizeof(F) == 8 || sizeof(I) == 8; \
    if (x != x) return static_cast<I>(wide ? 1ull << (8 * sizeof(I) - 1) : 0); \
    const F y = round(x);                             \
    if (y <= static_cast<F>(low)) return low;         \
    if (y >= static_cast<F>(high)) return high;       \
    return static_cast<I>(y);                         \
  }
#define LEAP_TO_INT(suffix, round)                                                           \
  LEAP_SATURATING(__float2int_##suffix, int, float, round##f, INT_MIN, INT_MAX)              \
  LEAP_SATURATING(__float2uint_##suffix, unsigned int, float, round##f, 0u, UINT_MAX)        \
  LEAP_SATURATING(__float2ll_##suffix, long long, float, round##f, LLONG_MIN, LLONG_MAX)     \
  LEAP_SATURATING(__float2ull_##suffix, unsigned long long, float, round##f, 0, ULLONG_MAX)  \
  LEAP_SATURATING(__double2uint_##suffix, unsigned int, double, round, 0u, UINT_MAX)         \
  LEAP_SATURATING(__double2ull_##suffix, unsigned long long, double, round, 0, ULLONG_MAX)   \
  LEAP_SATURATING(__double2int_##suffix, int, double, round, INT_MIN, INT_MAX)               \
  LEAP_SATURATING(__double2ll_##suffix, long long, double, round, LLONG_MIN, LLONG_MAX)
LEAP_TO_INT(rn, rint)
LEAP_TO_INT(rz, trunc)
LEAP_TO_INT(rd, floor)
LEAP_TO_INT(ru, ceil)
#undef LEAP_TO_INT
#undef LEAP_SATURATING

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
static inline unsigned long long __brevll(unsigned long long x) {
  return static_cast<unsigned long long>(__brev(static_cast<unsigned int>(x))) << 32 |
         __brev(static_cast<unsigned int>(x >> 32));
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
static inline long long __mul64hi(long long a, long long b) {
  return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
static inline int __dp4a(int a, int b, int c) {
  for (int i = 0; i < 4; ++i) {
    c += static_cast<signed char>(a >> 8 * i) * static_cast<signed char>(b >> 8 * i);
  }
  return c;
}
static inline unsigned int __dp4a(unsigned int a, unsigned int b, unsigned int c) {
  for (int i = 0; i < 4; ++i) c += (a >> 8 * i & 255) * (b >> 8 * i & 255);
  return c;
}
static inline int __hadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b) >> 1); }
static inline int __rhadd(int a, int b) { return static_cast<int>((static_cast<long long>(a) + b + 1) >> 1); }
static inline unsigned int __uhadd(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b) >> 1);
}
static inline unsigned int __urhadd(unsigned int a, unsigned int b) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(a) + b + 1) >> 1);
}
static inline unsigned int __usad(unsigned int a, unsigned int b, unsigned int c) {
  return c + (a > b ? a - b : b - a);
}
static inline unsigned int __sad(int a, int b, unsigned int c) {
  return c + static_cast<unsigned int>(a > b ? static_cast<long long>(a) - b : static_cast<long long>(b) - a);
}
static inline unsigned int __funnelshift_l(unsigned int low, unsigned int high, unsigned int shift) {
  return static_cast<unsigned int>(((static_cast<unsigned long long>(high) << 32 | low) << (shift & 31)) >> 32);
}
static inline unsigned int __funnelshift_r(unsigned int low, unsigned int high, unsigned int shift) {
  return static_cast<unsigned int>((static_cast<unsigned long long>(high) << 32 | low) >> (shift & 31));
}
static inline unsigned int __funnelshift_lc(unsigned int low, unsigned int high, unsigned int shift) {
  return shift >= 32 ? low : __funnelshift_l(low, high, shift);
}
static inline unsigned int __funnelshift_rc(unsigned int low, unsigned int high, unsigned int shift) {
  return shift >= 32 ? high : __funnelshift_r(low, high, shift);
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
