// Slim headers, bodies: calls of torch's operations and their arguments.
//
// Compiled once, by the compiler that compiles the submissions; none of these
// names exists in torch, so neither library can stand in for the other.
#define LEAP_WITH_STRINGS

#include <string>
#include <vector>

#include "../headers/leap/binding.h"
#include "../headers/leap/dispatch.h"

#pragma GCC visibility push(default)

namespace leap {

Argument::Argument(const at::Tensor& t) {
  if (!t.defined()) return;
  value_.kind = LEAP_TENSOR;
  value_.tensor = t.handle();
}
Argument::Argument(c10::ArrayRef<at::Tensor> list) {
  owned_ = new leap_value[list.size()]();
  for (size_t i = 0; i < list.size(); ++i) owned_[i] = Argument(list[i]).raw();
  value_.kind = LEAP_LIST;
  value_.count = static_cast<int64_t>(list.size());
  value_.items = owned_;
}
Argument::Argument(const std::vector<at::Tensor>& list)
    : Argument(c10::ArrayRef<at::Tensor>(list)) {}
Argument::Argument(const c10::Scalar& s) : value_(s.raw()) {}
Argument::Argument(bool v) { number(LEAP_BOOL, v); }
Argument::Argument(char v) { number(LEAP_CHARACTER, v); }
Argument::Argument(short v) { number(LEAP_INT, v); }
Argument::Argument(unsigned short v) { number(LEAP_INT, v); }
Argument::Argument(int v) { number(LEAP_INT, v); }
Argument::Argument(unsigned v) { number(LEAP_INT, v); }
Argument::Argument(long v) { number(LEAP_INT, v); }
Argument::Argument(unsigned long v) { number(LEAP_INT, static_cast<int64_t>(v)); }
Argument::Argument(long long v) { number(LEAP_INT, v); }
Argument::Argument(unsigned long long v) { number(LEAP_INT, static_cast<int64_t>(v)); }
Argument::Argument(float v) : Argument(static_cast<double>(v)) {}
Argument::Argument(double v) { value_.kind = LEAP_FLOAT, value_.real = v; }
Argument::Argument(const char* text) : Argument(std::string_view(text)) {}
Argument::Argument(const std::string& text) : Argument(std::string_view(text)) {}
Argument::Argument(std::string_view text) {
  value_.kind = LEAP_STRING;
  value_.text = text.data();
  value_.count = static_cast<int64_t>(text.size());
}
Argument::Argument(c10::IntArrayRef v) {
  value_.kind = LEAP_INTS;
  value_.ints = v.data();
  value_.count = static_cast<int64_t>(v.size());
}
Argument::Argument(const std::vector<int64_t>& v) : Argument(c10::IntArrayRef(v)) {}
Argument::Argument(const c10::OptionalIntArrayRef& v) {
  if (v.has_value()) *this = Argument(v.value());
}
Argument::Argument(c10::ScalarType v) { number(LEAP_DTYPE, static_cast<int64_t>(v)); }
Argument::Argument(caffe2::TypeMeta v) : Argument(v.name()) {}
Argument::Argument(c10::MemoryFormat v) {
  number(LEAP_MEMORY_FORMAT, static_cast<int64_t>(v));
}
Argument::Argument(const c10::Device& v) {
  number(LEAP_DEVICE, static_cast<int64_t>(v.type()));
  value_.count = v.index();
}
Argument::Argument(c10::DeviceType v) : Argument(c10::Device(v)) {}
Argument::Argument(std::nullopt_t) {}
template <typename T>
static Argument argument_or_none(const std::optional<T>& v) {
  return v ? Argument(*v) : Argument(std::nullopt);
}
Argument::Argument(const std::optional<c10::Scalar>& v) : Argument(argument_or_none(v)) {}
Argument::Argument(const std::optional<c10::ScalarType>& v) : Argument(argument_or_none(v)) {}
Argument::Argument(const std::optional<int64_t>& v) : Argument(argument_or_none(v)) {}
Argument::Argument(Argument&& other) : value_(other.value_), owned_(other.owned_) {
  other.owned_ = nullptr;
}
Argument& Argument::operator=(Argument&& other) {
  value_ = other.value_;
  std::swap(owned_, other.owned_);
  return *this;
}
Argument::~Argument() { delete[] owned_; }

leap_value call_raw(const char* name, Arguments arguments, Keywords keywords) {
  std::vector<leap_value> values;
  std::vector<const char*> names;
  values.reserve(arguments.size() + keywords.size());
  for (const Argument& a : arguments) values.push_back(a.raw());
  for (const Keyword& k : keywords) {
    names.push_back(k.name);
    values.push_back(k.value.raw());
  }
  leap_value result{};
  check(leap_torch_call(name, values.data(), static_cast<int64_t>(values.size()), names.data(),
                        static_cast<int64_t>(names.size()), &result));
  return result;
}
at::Tensor call(const char* name, Arguments arguments, Keywords keywords) {
  leap_value result = call_raw(name, arguments, keywords);
  if (result.kind == LEAP_TENSOR) return at::Tensor::adopt(result.tensor);
  leap_value_release(&result);
  throw Error(std::string(name) + " did not return a tensor");
}
void call_inplace(const char* name, Arguments arguments, Keywords keywords) {
  leap_value result = call_raw(name, arguments, keywords);
  leap_value_release(&result);
}
static std::vector<at::Tensor> take_tensors(leap_value result) {
  std::vector<at::Tensor> tensors;
  for (int64_t i = 0; i < result.count; ++i) {
    tensors.push_back(at::Tensor::adopt(result.items[i].tensor));
    result.items[i].kind = LEAP_NONE;
  }
  leap_value_release(&result);
  return tensors;
}
std::vector<at::Tensor> call_many(const char* name, const at::Tensor& t,
                                  std::initializer_list<int64_t> numbers) {
  std::vector<leap_value> arguments = {Argument(t).raw()};
  for (int64_t number : numbers) arguments.push_back(Argument(number).raw());
  leap_value result{};
  check(leap_torch_call(name, arguments.data(), static_cast<int64_t>(arguments.size()), nullptr, 0,
                        &result));
  return take_tensors(result);
}
std::vector<at::Tensor> call_list(const char* name, Arguments arguments) {
  return take_tensors(call_raw(name, arguments));
}
std::tuple<at::Tensor, at::Tensor> call_two(const char* name, Arguments arguments) {
  std::vector<at::Tensor> t = take_tensors(call_raw(name, arguments));
  return {t.at(0), t.at(1)};
}
bool call_bool(const char* name, Arguments arguments, Keywords keywords) {
  return call_raw(name, arguments, keywords).integer != 0;
}
c10::Scalar call_scalar(const char* name, Arguments arguments) {
  return c10::Scalar(call_raw(name, arguments));
}

at::Tensor to(const at::Tensor& t, const Options& o, bool copy) {
  const c10::Device now = t.device(), wanted = o.device;
  const bool moves = o.has_device && (wanted.type() != now.type() ||
                                      (wanted.has_index() && wanted.index() != now.index()));
  const bool converts = o.has_dtype && o.dtype != t.scalar_type();
  if (!moves && !converts) return copy ? t.clone() : t;
  if (!moves) return call("Tensor.to", {t, o.dtype});
  return converts ? call("Tensor.to", {t, o.device, o.dtype}) : call("Tensor.to", {t, o.device});
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight,
                  const std::optional<at::Tensor>& bias) {
  return call("nn.functional.linear", {x, weight, bias});
}

}  // namespace leap

#pragma GCC visibility pop
