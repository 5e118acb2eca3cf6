// dim3 and CUDA's built-in vector types.
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;

#define LEAP_VECTOR(name, T, align1, align2, align4)                                  \
  struct name##1 { T x; };                                                            \
  struct alignas(align2) name##2 { T x, y; };                                         \
  struct name##3 { T x, y, z; };                                                      \
  struct alignas(align4) name##4 { T x, y, z, w; };                                   \
  static inline constexpr name##1 make_##name##1(T x) { return {x}; }                 \
  static inline constexpr name##2 make_##name##2(T x, T y) { return {x, y}; }         \
  static inline constexpr name##3 make_##name##3(T x, T y, T z) { return {x, y, z}; } \
  static inline constexpr name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }

LEAP_VECTOR(char, signed char, 1, 2, 4)
LEAP_VECTOR(uchar, unsigned char, 1, 2, 4)
LEAP_VECTOR(short, short, 2, 4, 8)
LEAP_VECTOR(ushort, unsigned short, 2, 4, 8)
LEAP_VECTOR(int, int, 4, 8, 16)
LEAP_VECTOR(uint, unsigned int, 4, 8, 16)
LEAP_VECTOR(long, long, 8, 16, 16)
LEAP_VECTOR(ulong, unsigned long, 8, 16, 16)
LEAP_VECTOR(longlong, long long, 8, 16, 16)
LEAP_VECTOR(ulonglong, unsigned long long, 8, 16, 16)
LEAP_VECTOR(float, float, 4, 8, 16)
LEAP_VECTOR(double, double, 8, 16, 16)
#undef LEAP_VECTOR

struct dim3 {
  unsigned int x, y, z;
  constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  constexpr dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  constexpr operator uint3() const { return {x, y, z}; }
};
