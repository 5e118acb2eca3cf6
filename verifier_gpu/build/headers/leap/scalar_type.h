// Element types: c10::ScalarType with torch's numbering, and their C++ types.
#pragma once

#include <stdint.h>

#include "abi.h"

namespace c10 {

struct Half;
struct BFloat16;

// Numbers are torch's own and part of its file formats.
enum class ScalarType : int8_t {
  Byte = 0,
  Char = 1,
  Short = 2,
  Int = 3,
  Long = 4,
  Half = 5,
  Float = 6,
  Double = 7,
  ComplexHalf = 8,
  ComplexFloat = 9,
  ComplexDouble = 10,
  Bool = 11,
  BFloat16 = 15,
  Float8_e5m2 = 23,
  Float8_e4m3fn = 24,
  UInt16 = 27,
  UInt32 = 28,
  UInt64 = 29,
  Undefined = -1,
};

constexpr auto kByte = ScalarType::Byte;
constexpr auto kChar = ScalarType::Char;
constexpr auto kShort = ScalarType::Short;
constexpr auto kInt = ScalarType::Int;
constexpr auto kLong = ScalarType::Long;
constexpr auto kHalf = ScalarType::Half;
constexpr auto kFloat = ScalarType::Float;
constexpr auto kDouble = ScalarType::Double;
constexpr auto kBool = ScalarType::Bool;
constexpr auto kBFloat16 = ScalarType::BFloat16;
constexpr auto kUInt8 = ScalarType::Byte;
constexpr auto kInt8 = ScalarType::Char;
constexpr auto kInt16 = ScalarType::Short;
constexpr auto kInt32 = ScalarType::Int;
constexpr auto kInt64 = ScalarType::Long;
constexpr auto kFloat16 = ScalarType::Half;
constexpr auto kFloat32 = ScalarType::Float;
constexpr auto kFloat64 = ScalarType::Double;
constexpr auto kUInt16 = ScalarType::UInt16;
constexpr auto kUInt32 = ScalarType::UInt32;
constexpr auto kUInt64 = ScalarType::UInt64;

inline const char* toString(ScalarType t) {
  switch (t) {
    case ScalarType::Byte: return "Byte";
    case ScalarType::Char: return "Char";
    case ScalarType::Short: return "Short";
    case ScalarType::Int: return "Int";
    case ScalarType::Long: return "Long";
    case ScalarType::Half: return "Half";
    case ScalarType::Float: return "Float";
    case ScalarType::Double: return "Double";
    case ScalarType::ComplexHalf: return "ComplexHalf";
    case ScalarType::ComplexFloat: return "ComplexFloat";
    case ScalarType::ComplexDouble: return "ComplexDouble";
    case ScalarType::Bool: return "Bool";
    case ScalarType::BFloat16: return "BFloat16";
    case ScalarType::Float8_e5m2: return "Float8_e5m2";
    case ScalarType::Float8_e4m3fn: return "Float8_e4m3fn";
    case ScalarType::UInt16: return "UInt16";
    case ScalarType::UInt32: return "UInt32";
    case ScalarType::UInt64: return "UInt64";
    default: return "Undefined";
  }
}

inline size_t elementSize(ScalarType t) { return leap_dtype_size(static_cast<int>(t)); }
inline bool isFloatingType(ScalarType t) {
  return t == ScalarType::Double || t == ScalarType::Float || t == ScalarType::Half ||
         t == ScalarType::BFloat16;
}
inline bool isComplexType(ScalarType t) {
  return t == ScalarType::ComplexHalf || t == ScalarType::ComplexFloat ||
         t == ScalarType::ComplexDouble;
}
inline bool isIntegralType(ScalarType t, bool includeBool = false) {
  return (t >= ScalarType::Byte && t <= ScalarType::Long) ||
         (t >= ScalarType::UInt16 && t <= ScalarType::UInt64) ||
         (includeBool && t == ScalarType::Bool);
}

// C++ type -> ScalarType. Not defined for types that tensors do not hold.
template <typename T>
struct CppTypeToScalarType;
#define LEAP_SCALAR_TYPE(cpp, name)                       \
  template <>                                             \
  struct CppTypeToScalarType<cpp> {                       \
    static constexpr ScalarType value = ScalarType::name; \
  };
LEAP_SCALAR_TYPE(uint8_t, Byte)
LEAP_SCALAR_TYPE(int8_t, Char)
LEAP_SCALAR_TYPE(int16_t, Short)
LEAP_SCALAR_TYPE(int, Int)
LEAP_SCALAR_TYPE(int64_t, Long)
LEAP_SCALAR_TYPE(Half, Half)
LEAP_SCALAR_TYPE(float, Float)
LEAP_SCALAR_TYPE(double, Double)
LEAP_SCALAR_TYPE(bool, Bool)
LEAP_SCALAR_TYPE(BFloat16, BFloat16)
LEAP_SCALAR_TYPE(uint16_t, UInt16)
LEAP_SCALAR_TYPE(uint32_t, UInt32)
LEAP_SCALAR_TYPE(uint64_t, UInt64)
#undef LEAP_SCALAR_TYPE

}  // namespace c10

namespace leap {
// The C++ type's name, as messages show a dtype: "float", "long int".
const char* type_name(c10::ScalarType type);
}  // namespace leap

namespace caffe2 {

// What Tensor::dtype() returns; compares equal to its ScalarType.
class TypeMeta {
 public:
  constexpr TypeMeta(c10::ScalarType type = c10::ScalarType::Undefined) : type_(type) {}
  constexpr operator c10::ScalarType() const { return type_; }
  constexpr c10::ScalarType toScalarType() const { return type_; }
  size_t itemsize() const { return c10::elementSize(type_); }
  const char* name() const { return leap::type_name(type_); }
  template <typename T>
  bool Match() const {
    return type_ == c10::CppTypeToScalarType<T>::value;
  }
  template <typename T>
  static constexpr TypeMeta Make() {
    return TypeMeta(c10::CppTypeToScalarType<T>::value);
  }

 private:
  c10::ScalarType type_;
};

inline constexpr bool operator==(TypeMeta a, TypeMeta b) {
  return a.toScalarType() == b.toScalarType();
}
inline constexpr bool operator!=(TypeMeta a, TypeMeta b) { return !(a == b); }
inline constexpr bool operator==(TypeMeta a, c10::ScalarType b) { return a.toScalarType() == b; }
inline constexpr bool operator!=(TypeMeta a, c10::ScalarType b) { return a.toScalarType() != b; }
inline constexpr bool operator==(c10::ScalarType a, TypeMeta b) { return b == a; }
inline constexpr bool operator!=(c10::ScalarType a, TypeMeta b) { return b != a; }

}  // namespace caffe2

namespace c10 {
inline ScalarType typeMetaToScalarType(caffe2::TypeMeta t) { return t.toScalarType(); }
inline caffe2::TypeMeta scalarTypeToTypeMeta(ScalarType t) { return caffe2::TypeMeta(t); }
}  // namespace c10
