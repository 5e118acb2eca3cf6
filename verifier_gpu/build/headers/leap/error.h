// c10::Error, TORCH_CHECK and the message building behind it.
#pragma once

#include <exception>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "array_ref.h"
#include "device.h"
#include "scalar_type.h"

namespace c10 {

class Error : public std::exception {
 public:
  explicit Error(std::string what) : what_(static_cast<std::string&&>(what)) {}
  const char* what() const noexcept override { return what_.c_str(); }
  const char* what_without_backtrace() const noexcept { return what_.c_str(); }
  const std::string& msg() const { return what_; }

 private:
  std::string what_;
};
using ValueError = Error;
using IndexError = Error;
using NotImplementedError = Error;

}  // namespace c10

namespace leap {

// Throws c10::Error with the text of the runtime's last error.
[[noreturn]] inline void throw_last_error() { throw c10::Error(leap_error()); }
inline void check(int status) {
  if (status != 0) throw_last_error();
}

// append(): what `std::ostream << value` would have written, without <sstream>.
void append_number(std::string& out, double value);
inline void append_number(std::string& out, double value) {
  char text[40];
  out.append(text, static_cast<size_t>(__builtin_snprintf(text, sizeof text, "%g", value)));
}
inline void append(std::string& out, const char* value) { out += value; }
inline void append(std::string& out, char value) { out += value; }
inline void append(std::string& out, bool value) { out += value ? '1' : '0'; }
inline void append(std::string& out, std::string_view value) { out += value; }
inline void append(std::string& out, c10::ScalarType value) { out += c10::toString(value); }
inline void append(std::string& out, caffe2::TypeMeta value) { out += value.name(); }
inline void append(std::string& out, const c10::Device& value) { out += value.str(); }
inline void append(std::string& out, c10::DeviceType value) {
  out += c10::DeviceTypeName(value, true);
}
template <typename T>
void append(std::string& out, c10::ArrayRef<T> values);
template <typename T>
std::enable_if_t<std::is_arithmetic_v<T> || std::is_enum_v<T>> append(std::string& out, T value) {
  if constexpr (std::is_floating_point_v<T>) {
    append_number(out, static_cast<double>(value));
  } else if constexpr (std::is_enum_v<T>) {
    out += std::to_string(static_cast<long long>(value));
  } else {
    out += std::to_string(value);
  }
}
template <typename T>
void append(std::string& out, const std::vector<T>& values) {
  append(out, c10::ArrayRef<T>(values));
}
template <typename T>
void append(std::string& out, c10::ArrayRef<T> values) {
  out += '[';
  for (size_t i = 0; i < values.size(); ++i) {
    if (i != 0) out += ", ";
    append(out, values[i]);
  }
  out += ']';
}

[[noreturn]] inline void check_failed(const char* condition) {
  throw c10::Error(std::string("Expected ") + condition +
                   " to be true, but got false.  (Could this error message be improved?  If so, "
                   "please report an enhancement request to PyTorch.)");
}
template <typename... Args>
[[noreturn]] void check_failed(const char*, const Args&... args) {
  std::string text;
  (append(text, args), ...);
  throw c10::Error(text);
}

}  // namespace leap

namespace c10 {
template <typename... Args>
std::string str(const Args&... args) {
  std::string text;
  (leap::append(text, args), ...);
  return text;
}
inline Device::Device(const std::string& text) : type_(DeviceType::CPU), index_(-1) {
  std::string name = text.substr(0, text.find(':'));
  if (name == "cuda") {
    type_ = DeviceType::CUDA;
  } else if (name == "meta") {
    type_ = DeviceType::Meta;
  } else if (name != "cpu") {
    throw Error("Invalid device string: '" + text + "'");
  }
  if (name.size() != text.size()) {
    int index = 0;
    for (size_t i = name.size() + 1; i < text.size(); ++i) {
      if (text[i] < '0' || text[i] > '9' || index > 127)
        throw Error("Invalid device string: '" + text + "'");
      index = index * 10 + (text[i] - '0');
    }
    index_ = static_cast<DeviceIndex>(index);
  }
}
}  // namespace c10

#define TORCH_CHECK(condition, ...)                                        \
  do {                                                                     \
    if (__builtin_expect(!(condition), 0))                                 \
      ::leap::check_failed(#condition __VA_OPT__(, ) __VA_ARGS__);         \
  } while (false)
#define TORCH_INTERNAL_ASSERT(condition, ...) TORCH_CHECK(condition, __VA_ARGS__)
#define TORCH_INTERNAL_ASSERT_DEBUG_ONLY(condition, ...) TORCH_CHECK(condition, __VA_ARGS__)
#define TORCH_CHECK_VALUE(condition, ...) TORCH_CHECK(condition, __VA_ARGS__)
#define TORCH_CHECK_INDEX(condition, ...) TORCH_CHECK(condition, __VA_ARGS__)
#define TORCH_CHECK_TYPE(condition, ...) TORCH_CHECK(condition, __VA_ARGS__)
#define TORCH_CHECK_NOT_IMPLEMENTED(condition, ...) TORCH_CHECK(condition, __VA_ARGS__)
#define TORCH_CHECK_EQ(a, b) TORCH_CHECK((a) == (b), "Check failed: " #a " == " #b)
#define TORCH_CHECK_NE(a, b) TORCH_CHECK((a) != (b), "Check failed: " #a " != " #b)
#define TORCH_CHECK_LT(a, b) TORCH_CHECK((a) < (b), "Check failed: " #a " < " #b)
#define TORCH_CHECK_LE(a, b) TORCH_CHECK((a) <= (b), "Check failed: " #a " <= " #b)
#define TORCH_CHECK_GT(a, b) TORCH_CHECK((a) > (b), "Check failed: " #a " > " #b)
#define TORCH_CHECK_GE(a, b) TORCH_CHECK((a) >= (b), "Check failed: " #a " >= " #b)
#define AT_ASSERT(condition) TORCH_CHECK(condition)
#define AT_ASSERTM(condition, ...) TORCH_CHECK(condition, __VA_ARGS__)
#define AT_CHECK(condition, ...) TORCH_CHECK(condition, __VA_ARGS__)
#define AT_ERROR(...) ::leap::check_failed("false" __VA_OPT__(, ) __VA_ARGS__)
#define TORCH_WARN(...) ((void)0)
#define TORCH_WARN_ONCE(...) ((void)0)
