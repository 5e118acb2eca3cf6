// at::Half and at::BFloat16: storage of two bytes, arithmetic in float.
//
// Device code converts with CUDA's own intrinsics where cuda_fp16.h and
// cuda_bf16.h are included, so that both roads round alike.
#pragma once

#include <stdint.h>

#include "accessor.h"

namespace leap {

LEAP_HOST_DEVICE inline uint32_t float_bits(float v) {
  union {
    float f;
    uint32_t u;
  } bits = {v};
  return bits.u;
}
LEAP_HOST_DEVICE inline float bits_float(uint32_t v) {
  union {
    uint32_t u;
    float f;
  } bits = {v};
  return bits.f;
}

// IEEE binary16 <-> binary32, round to nearest even.
LEAP_HOST_DEVICE inline uint16_t half_from_float(float value) {
  const uint32_t bits = float_bits(value);
  const uint32_t sign = (bits >> 16) & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<uint16_t>(sign | 0x7e00u);
  if (magnitude >= 0x47800000u) return static_cast<uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {  // subnormal: adding 0.5 makes the FPU round at 2^-24
    const float shifted = bits_float(magnitude) + 0.5f;
    return static_cast<uint16_t>(sign | (float_bits(shifted) - 0x3f000000u));
  }
  const uint32_t odd = (magnitude >> 13) & 1u;
  return static_cast<uint16_t>(sign | ((magnitude + 0xfffu + odd - 0x38000000u) >> 13));
}
LEAP_HOST_DEVICE inline float half_to_float(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000u) << 16;
  const uint32_t magnitude = static_cast<uint32_t>(half & 0x7fffu) << 13;
  if (magnitude >= 0x0f800000u) return bits_float(sign | (magnitude + 0x70000000u));
  // Scaling by 2^112 moves the exponent and normalises subnormals at once.
  return bits_float(sign | float_bits(bits_float(magnitude) * bits_float(0x77800000u)));
}
LEAP_HOST_DEVICE inline uint16_t bfloat16_from_float(float value) {
  const uint32_t bits = float_bits(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u) return 0x7fc0u;
  return static_cast<uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
LEAP_HOST_DEVICE inline float bfloat16_to_float(uint16_t value) {
  return bits_float(static_cast<uint32_t>(value) << 16);
}

}  // namespace leap

namespace c10 {

#define LEAP_SMALL_FLOAT(Name, encode, decode)                                             \
  struct alignas(2) Name {                                                                 \
    unsigned short x;                                                                      \
    struct from_bits_t {};                                                                 \
    LEAP_HOST_DEVICE static constexpr from_bits_t from_bits() { return from_bits_t(); }    \
    Name() = default;                                                                      \
    LEAP_HOST_DEVICE constexpr Name(unsigned short bits, from_bits_t) : x(bits) {}         \
    LEAP_HOST_DEVICE Name(float value) : x(::leap::encode(value)) {}                       \
    LEAP_HOST_DEVICE operator float() const { return ::leap::decode(x); }                  \
  };                                                                                       \
  LEAP_HOST_DEVICE inline Name operator+(const Name& a, const Name& b) {                   \
    return static_cast<float>(a) + static_cast<float>(b);                                  \
  }                                                                                        \
  LEAP_HOST_DEVICE inline Name operator-(const Name& a, const Name& b) {                   \
    return static_cast<float>(a) - static_cast<float>(b);                                  \
  }                                                                                        \
  LEAP_HOST_DEVICE inline Name operator*(const Name& a, const Name& b) {                   \
    return static_cast<float>(a) * static_cast<float>(b);                                  \
  }                                                                                        \
  LEAP_HOST_DEVICE inline Name operator/(const Name& a, const Name& b) {                   \
    return static_cast<float>(a) / static_cast<float>(b);                                  \
  }                                                                                        \
  LEAP_HOST_DEVICE inline Name operator-(const Name& a) { return -static_cast<float>(a); } \
  LEAP_HOST_DEVICE inline Name& operator+=(Name& a, const Name& b) { return a = a + b; }   \
  LEAP_HOST_DEVICE inline Name& operator-=(Name& a, const Name& b) { return a = a - b; }   \
  LEAP_HOST_DEVICE inline Name& operator*=(Name& a, const Name& b) { return a = a * b; }   \
  LEAP_HOST_DEVICE inline Name& operator/=(Name& a, const Name& b) { return a = a / b; }

// Mixed arithmetic has the type of the other operand, as in torch.
#define LEAP_SMALL_FLOAT_MIXED(Name, T, result, op)                                  \
  LEAP_HOST_DEVICE inline result operator op(const Name& a, T b) {                   \
    return static_cast<result>(static_cast<result>(static_cast<float>(a)) op b);     \
  }                                                                                  \
  LEAP_HOST_DEVICE inline result operator op(T a, const Name& b) {                   \
    return static_cast<result>(a op static_cast<result>(static_cast<float>(b)));     \
  }
#define LEAP_SMALL_FLOAT_MIXED_ALL(Name, op)                                               \
  LEAP_SMALL_FLOAT_MIXED(Name, float, float, op)                                           \
  LEAP_SMALL_FLOAT_MIXED(Name, double, double, op)                                         \
  LEAP_HOST_DEVICE inline Name operator op(const Name& a, int b) {                         \
    return a op Name(static_cast<float>(b));                                               \
  }                                                                                        \
  LEAP_HOST_DEVICE inline Name operator op(int a, const Name& b) {                         \
    return Name(static_cast<float>(a)) op b;                                               \
  }                                                                                        \
  LEAP_HOST_DEVICE inline Name operator op(const Name& a, int64_t b) {                     \
    return a op Name(static_cast<float>(b));                                               \
  }                                                                                        \
  LEAP_HOST_DEVICE inline Name operator op(int64_t a, const Name& b) {                     \
    return Name(static_cast<float>(a)) op b;                                               \
  }

LEAP_SMALL_FLOAT(Half, half_from_float, half_to_float)
LEAP_SMALL_FLOAT_MIXED_ALL(Half, +)
LEAP_SMALL_FLOAT_MIXED_ALL(Half, -)
LEAP_SMALL_FLOAT_MIXED_ALL(Half, *)
LEAP_SMALL_FLOAT_MIXED_ALL(Half, /)
LEAP_SMALL_FLOAT(BFloat16, bfloat16_from_float, bfloat16_to_float)
LEAP_SMALL_FLOAT_MIXED_ALL(BFloat16, +)
LEAP_SMALL_FLOAT_MIXED_ALL(BFloat16, -)
LEAP_SMALL_FLOAT_MIXED_ALL(BFloat16, *)
LEAP_SMALL_FLOAT_MIXED_ALL(BFloat16, /)
#ifdef __CUDACC__
__device__ inline Half __ldg(const Half* p) {
  return Half(::__ldg(reinterpret_cast<const unsigned short*>(p)), Half::from_bits());
}
__device__ inline BFloat16 __ldg(const BFloat16* p) {
  return BFloat16(::__ldg(reinterpret_cast<const unsigned short*>(p)), BFloat16::from_bits());
}
#endif
#undef LEAP_SMALL_FLOAT
#undef LEAP_SMALL_FLOAT_MIXED
#undef LEAP_SMALL_FLOAT_MIXED_ALL

}  // namespace c10

namespace at {
// Accumulator type: float for the small floats; double for float on the host.
template <typename T, bool is_cuda>
struct AccumulateType {
  using type = T;
};
template <bool is_cuda>
struct AccumulateType<c10::Half, is_cuda> {
  using type = float;
};
template <bool is_cuda>
struct AccumulateType<c10::BFloat16, is_cuda> {
  using type = float;
};
template <>
struct AccumulateType<float, false> {
  using type = double;
};
template <typename T, bool is_cuda>
using acc_type = typename AccumulateType<T, is_cuda>::type;
template <typename T>
using opmath_type = typename AccumulateType<T, true>::type;
}  // namespace at
