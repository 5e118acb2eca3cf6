// leap::Error (c10::Error), TORCH_CHECK and its relatives.
#pragma once

#include "value.h"

namespace leap {

// Message without arguments: torch's own sentence. Never returns.
[[noreturn]] void check_failed(int kind, const char* condition, Arguments message);

}  // namespace leap

#ifdef LEAP_WITH_STRINGS
namespace c10 {
template <typename... Args>
std::string str(const Args&... args) {
  return leap::text({leap::Argument(args)...});
}
// What torch can print of what a kernel's host code has at hand.
template <typename Traits, typename T>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             ArrayRef<T> values) {
  return out << leap::text({leap::Argument(values)}).c_str();
}
template <typename Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, Device d) {
  return out << d.str().c_str();
}
template <typename Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out,
                                             ScalarType t) {
  return out << toString(t);
}
}  // namespace c10
namespace caffe2 {
template <typename Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, TypeMeta t) {
  return out << t.name();
}
}  // namespace caffe2
#endif

#define LEAP_CHECK(kind, condition, ...)                           \
  do {                                                             \
    if (__builtin_expect(!(condition), 0))                         \
      ::leap::check_failed(kind, #condition, {__VA_ARGS__});       \
  } while (false)
#define TORCH_CHECK(condition, ...) LEAP_CHECK(LEAP_RUNTIME_ERROR, condition, __VA_ARGS__)
#define TORCH_INTERNAL_ASSERT(condition, ...) TORCH_CHECK(condition, __VA_ARGS__)
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(condition, ...) TORCH_CHECK(condition, __VA_ARGS__)
#define TORCH_CHECK_VALUE(condition, ...) LEAP_CHECK(LEAP_VALUE_ERROR, condition, __VA_ARGS__)
#define TORCH_CHECK_INDEX(condition, ...) LEAP_CHECK(LEAP_INDEX_ERROR, condition, __VA_ARGS__)
#define TORCH_CHECK_TYPE(condition, ...) LEAP_CHECK(LEAP_TYPE_ERROR, condition, __VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) \
  LEAP_CHECK(LEAP_NOT_IMPLEMENTED_ERROR, condition, __VA_ARGS__)
#define TORCH_CHECK_EQ(a, b) TORCH_CHECK((a) == (b), "Check failed: " #a " == " #b)
#define TORCH_CHECK_NE(a, b) TORCH_CHECK((a) != (b), "Check failed: " #a " != " #b)
#define TORCH_CHECK_LT(a, b) TORCH_CHECK((a) < (b), "Check failed: " #a " < " #b)
#define TORCH_CHECK_LE(a, b) TORCH_CHECK((a) <= (b), "Check failed: " #a " <= " #b)
#define TORCH_CHECK_GT(a, b) TORCH_CHECK((a) > (b), "Check failed: " #a " > " #b)
#define TORCH_CHECK_GE(a, b) TORCH_CHECK((a) >= (b), "Check failed: " #a " >= " #b)
#define STD_TORCH_CHECK(condition, ...) TORCH_CHECK(condition, __VA_ARGS__)
#define AT_ASSERT(condition) TORCH_CHECK(condition)
#define AT_ASSERTM(condition, ...) TORCH_CHECK(condition, __VA_ARGS__)
#define AT_CHECK(condition, ...) TORCH_CHECK(condition, __VA_ARGS__)
#define AT_ERROR(...) ::leap::check_failed(LEAP_RUNTIME_ERROR, "false", {__VA_ARGS__})
#define TORCH_WARN(...) ((void)0)
#define TORCH_WARN_ONCE(...) ((void)0)
