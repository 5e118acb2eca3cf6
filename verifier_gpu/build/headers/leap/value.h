// Scalars and the arguments of operations.
#pragma once

#include <tuple>

#include "array_ref.h"
#include "device.h"
#include "error.h"
#include "scalar_type.h"

namespace c10 {

// A number of any kind, as torch's operations take it.
class Scalar {
 public:
  Scalar() : Scalar(int64_t{0}) {}
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

  template <typename T>
  T to() const {
    return value_.kind == LEAP_FLOAT ? static_cast<T>(value_.real)
                                     : static_cast<T>(value_.integer);
  }
  double toDouble() const { return to<double>(); }
  float toFloat() const { return to<float>(); }
  int64_t toLong() const { return to<int64_t>(); }
  int toInt() const { return to<int>(); }
  bool toBool() const { return to<bool>(); }
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

// One argument of an operation. Borrows: lives within the call's expression.
class Argument {
 public:
  Argument(const at::Tensor& t);
  Argument(const std::vector<at::Tensor>& list) { borrow_tensors(list.data(), list.size()); }
  Argument(c10::ArrayRef<at::Tensor> list);
  Argument(const c10::Scalar& s) : value_(s.raw()) {}
  Argument(bool v) { number(LEAP_BOOL, v); }
  Argument(int v) { number(LEAP_INT, v); }
  Argument(long v) { number(LEAP_INT, v); }
  Argument(long long v) { number(LEAP_INT, v); }
  Argument(double v) { value_.kind = LEAP_FLOAT, value_.real = v; }
  Argument(const char* text) { string(text); }
  Argument(const std::string& text) { string(text); }
  Argument(c10::IntArrayRef v) {
    value_.kind = LEAP_INTS;
    value_.ints = v.data();
    value_.count = static_cast<int64_t>(v.size());
  }
  Argument(const c10::OptionalIntArrayRef& v) {
    if (v.has_value()) *this = Argument(v.value());
  }
  Argument(c10::ScalarType v) { number(LEAP_DTYPE, static_cast<int64_t>(v)); }
  Argument(c10::MemoryFormat v) { number(LEAP_MEMORY_FORMAT, static_cast<int64_t>(v)); }
  Argument(const c10::Device& v) {
    number(LEAP_DEVICE, static_cast<int64_t>(v.type()));
    value_.count = v.index();
  }
  Argument(std::nullopt_t) {}
  template <typename T>
  Argument(const std::optional<T>& v) {
    if (v) *this = Argument(*v);
  }

  Argument(Argument&& other) : value_(other.value_), owned_(other.owned_) {
    other.owned_ = nullptr;
  }
  Argument& operator=(Argument&& other) {
    value_ = other.value_;
    leap_value* mine = owned_;
    owned_ = other.owned_;
    other.owned_ = mine;
    return *this;
  }
  Argument(const Argument& other) = delete;
  ~Argument() { delete[] owned_; }

  const leap_value& raw() const { return value_; }

 private:
  void number(int kind, int64_t v) { value_.kind = kind, value_.integer = v; }
  void string(std::string_view text) {
    value_.kind = LEAP_STRING;
    value_.text = text.data();
    value_.count = static_cast<int64_t>(text.size());
  }
  void borrow_tensors(const at::Tensor* list, size_t count);

  leap_value value_{};
  leap_value* owned_ = nullptr;
};

struct Keyword {
  const char* name;
  Argument value;
};

// Calls an operation; the first returns its raw result, which the caller releases.
leap_value call_raw(const char* name, std::initializer_list<Argument> arguments,
                    std::initializer_list<Keyword> keywords = {});
at::Tensor call(const char* name, std::initializer_list<Argument> arguments,
                std::initializer_list<Keyword> keywords = {});
// The tensors of an operation that returns several.
std::vector<at::Tensor> call_many(const char* name, std::initializer_list<Argument> arguments,
                                  std::initializer_list<Keyword> keywords = {});
std::tuple<at::Tensor, at::Tensor> call_two(const char* name,
                                            std::initializer_list<Argument> arguments,
                                            std::initializer_list<Keyword> keywords = {});
bool call_bool(const char* name, std::initializer_list<Argument> arguments,
               std::initializer_list<Keyword> keywords = {});

}  // namespace leap
