// Scalars, and the arguments of operations and messages.
//
// Bodies live in libleap_torch, not here: a submission pays for neither parsing
// nor optimising them. No inline function here or in the headers above may need a
// template's body (std::optional's constructor, std::vector's destructor): the
// compiler would make it again in every submission, called or not.
#pragma once

#include <exception>
#include <tuple>
#include <vector>

#include "array_ref.h"
#include "device.h"
#include "scalar_type.h"
#include "strings.h"

namespace leap {

class __attribute__((visibility("default"))) Error : public std::exception {
 public:
  explicit Error(const char* what, int kind = LEAP_RUNTIME_ERROR);
  Error(const Error& other);
  Error& operator=(const Error&) = delete;
  ~Error() override;
  const char* what() const noexcept override;
  const char* what_without_backtrace() const noexcept { return what(); }
  int kind() const { return kind_; }
#ifdef LEAP_WITH_STRINGS
  explicit Error(const std::string& what, int kind = LEAP_RUNTIME_ERROR)
      : Error(what.c_str(), kind) {}
  std::string msg() const { return what(); }
#endif

 private:
  char* what_;
  int kind_;
};

// Throws Error with the text of the runtime's last error.
[[noreturn]] void throw_last_error();
inline void check(int status) {
  if (__builtin_expect(status != 0, 0)) throw_last_error();
}

}  // namespace leap

namespace c10 {

using Error = leap::Error;
using ValueError = leap::Error;
using IndexError = leap::Error;
using NotImplementedError = leap::Error;

// A number of any kind, as torch's operations take it.
class Scalar {
 public:
  Scalar() : Scalar(0) {}
  Scalar(double v) { value_.kind = LEAP_FLOAT, value_.real = v; }
  Scalar(float v) : Scalar(static_cast<double>(v)) {}
  Scalar(bool v) { value_.kind = LEAP_BOOL, value_.integer = v; }
  Scalar(long v) { value_.kind = LEAP_INT, value_.integer = v; }
  Scalar(long long v) : Scalar(static_cast<long>(v)) {}
  Scalar(int v) : Scalar(static_cast<long>(v)) {}
  Scalar(unsigned v) : Scalar(static_cast<long>(v)) {}
  Scalar(unsigned long v) : Scalar(static_cast<long>(v)) {}
  Scalar(short v) : Scalar(static_cast<long>(v)) {}
  Scalar(int8_t v) : Scalar(static_cast<long>(v)) {}
  Scalar(uint8_t v) : Scalar(static_cast<long>(v)) {}
  explicit Scalar(const leap_value& v) : value_(v) {}

  template <typename T>
  T to() const {
    return value_.kind == LEAP_FLOAT ? static_cast<T>(value_.real)
                                     : static_cast<T>(value_.integer);
  }
#define LEAP_SCALAR_TO(name, T)                                        \
  T name() const {                                                     \
    if (isFloatingPoint()) return static_cast<T>(value_.real);         \
    return static_cast<T>(value_.integer);                             \
  }
  LEAP_SCALAR_TO(toDouble, double)
  LEAP_SCALAR_TO(toFloat, float)
  LEAP_SCALAR_TO(toLong, int64_t)
  LEAP_SCALAR_TO(toInt, int)
  LEAP_SCALAR_TO(toBool, bool)
#undef LEAP_SCALAR_TO
  bool isFloatingPoint() const { return value_.kind == LEAP_FLOAT; }
  bool isIntegral(bool includeBool = false) const {
    return value_.kind == LEAP_INT || (includeBool && isBoolean());
  }
  bool isBoolean() const { return value_.kind == LEAP_BOOL; }
  const leap_value& raw() const { return value_; }

 private:
  leap_value value_{};
};

}  // namespace c10

namespace at {
using namespace c10;
class Tensor;
}  // namespace at

namespace leap {

// One argument of an operation, or one piece of a message. Borrows: lives within
// the call's expression.
class __attribute__((visibility("default"))) Argument {
 public:
  Argument(const at::Tensor& t);
  Argument(const std::vector<at::Tensor>& list);
  Argument(c10::ArrayRef<at::Tensor> list);
  Argument(const c10::Scalar& s);
  Argument(bool v);
  Argument(char v);
  Argument(short v);
  Argument(unsigned short v);
  Argument(int v);
  Argument(unsigned v);
  Argument(long v);
  Argument(unsigned long v);
  Argument(long long v);
  Argument(unsigned long long v);
  Argument(float v);
  Argument(double v);
  Argument(const char* text);
#ifdef LEAP_WITH_STRINGS
  Argument(const std::string& text);
  Argument(std::string_view text);
#endif
  Argument(c10::IntArrayRef v);
  Argument(const std::vector<int64_t>& v);
  Argument(const c10::OptionalIntArrayRef& v);
  Argument(c10::ScalarType v);
  Argument(caffe2::TypeMeta v);
  Argument(c10::MemoryFormat v);
  Argument(const c10::Device& v);
  Argument(c10::DeviceType v);
  Argument(std::nullopt_t);
  Argument(const std::optional<c10::Scalar>& v);
  Argument(const std::optional<c10::ScalarType>& v);
  Argument(const std::optional<int64_t>& v);
  template <typename T>
  Argument(const std::optional<T>& v) {
    if (v) *this = Argument(*v);
  }

  Argument(Argument&& other);
  Argument& operator=(Argument&& other);
  Argument(const Argument& other) = delete;
  ~Argument();

  const leap_value& raw() const { return value_; }

 private:
  void number(int kind, int64_t v) { value_.kind = kind, value_.integer = v; }

  leap_value value_{};
  leap_value* owned_ = nullptr;
};

struct Keyword {
  const char* name;
  Argument value;
};

using Arguments = std::initializer_list<Argument>;
using Keywords = std::initializer_list<Keyword>;

// Calls an operation; the first returns its raw result, which the caller releases.
leap_value call_raw(const char* name, Arguments arguments, Keywords keywords = {});
at::Tensor call(const char* name, Arguments arguments, Keywords keywords = {});
// An operation that returns its first argument.
void call_inplace(const char* name, Arguments arguments, Keywords keywords = {});
// The tensors of an operation that returns several.
std::vector<at::Tensor> call_many(const char* name, const at::Tensor& t,
                                  std::initializer_list<int64_t> numbers);
std::vector<at::Tensor> call_list(const char* name, Arguments arguments);
std::tuple<at::Tensor, at::Tensor> call_two(const char* name, Arguments arguments);
bool call_bool(const char* name, Arguments arguments, Keywords keywords = {});
c10::Scalar call_scalar(const char* name, Arguments arguments);

}  // namespace leap
