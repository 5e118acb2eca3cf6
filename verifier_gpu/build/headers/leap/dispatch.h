// AT_DISPATCH_*: runs a lambda with scalar_t set to the tensor's element type.
#pragma once

#include "error.h"
#include "half.h"

#define AT_PRIVATE_CASE_TYPE_USING_HINT(enum_type, hint, ...)                        \
  case enum_type: {                                                                  \
    using hint [[maybe_unused]] = ::leap::cpp_type<enum_type>;                       \
    return __VA_ARGS__();                                                            \
  }
#define AT_DISPATCH_CASE(enum_type, ...) \
  AT_PRIVATE_CASE_TYPE_USING_HINT(enum_type, scalar_t, __VA_ARGS__)
#define AT_DISPATCH_SWITCH(TYPE, NAME, ...)                                           \
  [&] {                                                                               \
    const ::c10::ScalarType leap_type_ = ::detail::scalar_type(TYPE);                \
    switch (leap_type_) {                                                             \
      __VA_ARGS__                                                                     \
      default:                                                                        \
        ::leap::not_implemented(NAME, leap_type_);                                    \
    }                                                                                 \
  }()

namespace leap {
[[noreturn]] void not_implemented(const char* name, c10::ScalarType type);
template <c10::ScalarType>
struct CppType;
#define LEAP_CPP_TYPE(name, cpp)         \
  template <>                            \
  struct CppType<c10::ScalarType::name> { \
    using type = cpp;                    \
  };
LEAP_CPP_TYPE(Byte, uint8_t)
LEAP_CPP_TYPE(Char, int8_t)
LEAP_CPP_TYPE(Short, int16_t)
LEAP_CPP_TYPE(Int, int)
LEAP_CPP_TYPE(Long, int64_t)
LEAP_CPP_TYPE(Half, c10::Half)
LEAP_CPP_TYPE(Float, float)
LEAP_CPP_TYPE(Double, double)
LEAP_CPP_TYPE(Bool, bool)
LEAP_CPP_TYPE(BFloat16, c10::BFloat16)
#undef LEAP_CPP_TYPE
template <c10::ScalarType T>
using cpp_type = typename CppType<T>::type;
}  // namespace leap

namespace detail {  // torch's name: a wrong argument is the submission's error, in torch's words
inline c10::ScalarType scalar_type(c10::ScalarType t) { return t; }
}  // namespace detail

#define AT_DISPATCH_CASE_FLOATING_TYPES(...)             \
  AT_DISPATCH_CASE(::c10::ScalarType::Double, __VA_ARGS__) \
  AT_DISPATCH_CASE(::c10::ScalarType::Float, __VA_ARGS__)
#define AT_DISPATCH_CASE_INTEGRAL_TYPES(...)             \
  AT_DISPATCH_CASE(::c10::ScalarType::Byte, __VA_ARGS__)   \
  AT_DISPATCH_CASE(::c10::ScalarType::Char, __VA_ARGS__)   \
  AT_DISPATCH_CASE(::c10::ScalarType::Int, __VA_ARGS__)    \
  AT_DISPATCH_CASE(::c10::ScalarType::Long, __VA_ARGS__)   \
  AT_DISPATCH_CASE(::c10::ScalarType::Short, __VA_ARGS__)
#define AT_DISPATCH_CASE_ALL_TYPES(...)        \
  AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) \
  AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)

#define AT_DISPATCH_FLOATING_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE, NAME, ...)                     \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                 \
                     AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)                \
                         AT_DISPATCH_CASE(::c10::ScalarType::Half, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND(T1, TYPE, NAME, ...)       \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                  \
                     AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) \
                         AT_DISPATCH_CASE(T1, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(T1, T2, TYPE, NAME, ...)  \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                  \
                     AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__) \
                         AT_DISPATCH_CASE(T1, __VA_ARGS__)        \
                         AT_DISPATCH_CASE(T2, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND3(T1, T2, T3, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                     \
                     AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)    \
                         AT_DISPATCH_CASE(T1, __VA_ARGS__)           \
                         AT_DISPATCH_CASE(T2, __VA_ARGS__)           \
                         AT_DISPATCH_CASE(T3, __VA_ARGS__))
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(TYPE, NAME, ...)                          \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                                     \
                     AT_DISPATCH_CASE(::c10::ScalarType::Half, __VA_ARGS__)          \
                         AT_DISPATCH_CASE(::c10::ScalarType::BFloat16, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES_AND(T1, TYPE, NAME, ...)       \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                  \
                     AT_DISPATCH_CASE_INTEGRAL_TYPES(__VA_ARGS__) \
                         AT_DISPATCH_CASE(T1, __VA_ARGS__))
#define AT_DISPATCH_INDEX_TYPES(TYPE, NAME, ...)                                       \
  AT_DISPATCH_SWITCH(                                                                  \
      TYPE, NAME,                                                                      \
      AT_PRIVATE_CASE_TYPE_USING_HINT(::c10::ScalarType::Int, index_t, __VA_ARGS__)    \
          AT_PRIVATE_CASE_TYPE_USING_HINT(::c10::ScalarType::Long, index_t, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES(TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME, AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND(T1, TYPE, NAME, ...)       \
  AT_DISPATCH_SWITCH(TYPE, NAME,                             \
                     AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) \
                         AT_DISPATCH_CASE(T1, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND2(T1, T2, TYPE, NAME, ...)  \
  AT_DISPATCH_SWITCH(TYPE, NAME,                             \
                     AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__) \
                         AT_DISPATCH_CASE(T1, __VA_ARGS__)   \
                         AT_DISPATCH_CASE(T2, __VA_ARGS__))
#define AT_DISPATCH_ALL_TYPES_AND3(T1, T2, T3, TYPE, NAME, ...) \
  AT_DISPATCH_SWITCH(TYPE, NAME,                                \
                     AT_DISPATCH_CASE_ALL_TYPES(__VA_ARGS__)    \
                         AT_DISPATCH_CASE(T1, __VA_ARGS__)      \
                         AT_DISPATCH_CASE(T2, __VA_ARGS__)      \
                         AT_DISPATCH_CASE(T3, __VA_ARGS__))
