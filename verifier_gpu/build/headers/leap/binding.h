// The part of pybind11 that extensions use: PYBIND11_MODULE, module_::def, arg.
#pragma once

#include <array>
#include <utility>

#include "functions.h"

namespace leap {


// A list of types in the letters of abi.h.
struct Spelling {
  char text[256];
  int size = 0;
  void put(char c) {
    if (size < 255) text[size++] = c;
    text[size] = '\0';
  }
};

// Conversion<T>: how T is written in a signature, and how it crosses the boundary.
template <typename T, typename = void>
struct Conversion;

template <typename T>
struct Conversion<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
  static void spell(Spelling& s) {
    const char letter = "?ch?i???l"[sizeof(T)];
    s.put(std::is_signed_v<T> ? letter : static_cast<char>(letter - 'a' + 'A'));
  }
  static T from(const leap_value& v) { return static_cast<T>(v.integer); }
  static void to(T v, leap_value* out) {
    out->kind = LEAP_INT;
    out->integer = static_cast<int64_t>(v);
  }
};
template <>
struct Conversion<bool> {
  static void spell(Spelling& s) { s.put('b'); }
  static bool from(const leap_value& v) { return v.integer != 0; }
  static void to(bool v, leap_value* out) { out->kind = LEAP_BOOL, out->integer = v; }
};
template <typename T>
struct Conversion<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static void spell(Spelling& s) { s.put('f'); }
  static T from(const leap_value& v) { return static_cast<T>(v.real); }
  static void to(T v, leap_value* out) { out->kind = LEAP_FLOAT, out->real = v; }
};
template <>
struct Conversion<at::Tensor> {
  static void spell(Spelling& s) { s.put('T'); }
  static at::Tensor from(const leap_value& v) {
    return v.kind == LEAP_TENSOR ? at::Tensor::adopt(leap_tensor_retain(v.tensor)) : at::Tensor();
  }
  static void to(at::Tensor v, leap_value* out) {
    if (!v.defined()) return;
    out->kind = LEAP_TENSOR;
    out->tensor = v.give_up();
  }
};
template <>
struct Conversion<const char*> {
  static void spell(Spelling& s) { s.put('s'); }
  static const char* from(const leap_value& v) { return v.text; }
  static void to(std::string_view v, leap_value* out) {
    out->kind = LEAP_STRING;
    out->count = static_cast<int64_t>(v.size());
    out->text = leap_value_text(v.data(), out->count);
  }
};
#ifdef LEAP_WITH_STRINGS
template <>
struct Conversion<std::string> {
  static void spell(Spelling& s) { s.put('s'); }
  static std::string from(const leap_value& v) {
    return std::string(v.text, static_cast<size_t>(v.count));
  }
  static void to(const std::string& v, leap_value* out) {
    Conversion<const char*>::to(v, out);
  }
};
#endif
template <>
struct Conversion<std::string_view> {
  static void spell(Spelling& s) { s.put('s'); }
  static std::string_view from(const leap_value& v) {
    return std::string_view(v.text, static_cast<size_t>(v.count));
  }
};
template <>
struct Conversion<c10::Scalar> {
  static void spell(Spelling& s) { s.put('S'); }
  static c10::Scalar from(const leap_value& v) { return c10::Scalar(v); }
  static void to(const c10::Scalar& v, leap_value* out) { *out = v.raw(); }
};
template <>
struct Conversion<c10::ScalarType> {
  static void spell(Spelling& s) { s.put('D'); }
  static c10::ScalarType from(const leap_value& v) {
    return static_cast<c10::ScalarType>(v.integer);
  }
  static void to(c10::ScalarType v, leap_value* out) { *out = Argument(v).raw(); }
};
template <>
struct Conversion<c10::Device> {
  static void spell(Spelling& s) { s.put('V'); }
  static c10::Device from(const leap_value& v) {
    return c10::Device(static_cast<c10::DeviceType>(v.integer),
                       static_cast<c10::DeviceIndex>(v.count));
  }
  static void to(const c10::Device& v, leap_value* out) { *out = Argument(v).raw(); }
};
template <typename T>
struct Conversion<std::optional<T>> {
  static void spell(Spelling& s) {
    s.put('?');
    Conversion<T>::spell(s);
  }
  static std::optional<T> from(const leap_value& v) {
    if (v.kind == LEAP_NONE) return std::nullopt;
    return Conversion<T>::from(v);
  }
  static void to(const std::optional<T>& v, leap_value* out) {
    if (v) Conversion<T>::to(*v, out);
  }
};
template <typename T>
struct Conversion<std::vector<T>> {
  static void spell(Spelling& s) {
    s.put('[');
    Conversion<T>::spell(s);
  }
  static std::vector<T> from(const leap_value& v) {
    std::vector<T> list;
    list.reserve(static_cast<size_t>(v.count));
    for (int64_t i = 0; i < v.count; ++i) list.push_back(Conversion<T>::from(v.items[i]));
    return list;
  }
  static void to(const std::vector<T>& v, leap_value* out) {
    out->kind = LEAP_LIST;
    out->count = static_cast<int64_t>(v.size());
    out->items = leap_value_items(out->count);
    for (size_t i = 0; i < v.size(); ++i) Conversion<T>::to(v[i], &out->items[i]);
  }
};
// ArrayRef borrows: the vector behind it lives in Held until the call returns.
template <typename T>
struct Conversion<c10::ArrayRef<T>> {
  static void spell(Spelling& s) { Conversion<std::vector<T>>::spell(s); }
  static std::vector<T> from(const leap_value& v) { return Conversion<std::vector<T>>::from(v); }
  static void to(c10::ArrayRef<T> v, leap_value* out) {
    Conversion<std::vector<T>>::to(v.vec(), out);
  }
};
template <typename... T>
struct Conversion<std::tuple<T...>> {
  static void spell(Spelling& s) {
    s.put('(');
    (Conversion<T>::spell(s), ...);
    s.put(')');
  }
  static void to(const std::tuple<T...>& v, leap_value* out) {
    out->kind = LEAP_TUPLE;
    out->count = sizeof...(T);
    out->items = leap_value_items(out->count);
    leap_value* item = out->items;
    std::apply([&](const T&... values) { (Conversion<T>::to(values, item++), ...); }, v);
  }
};
template <typename A, typename B>
struct Conversion<std::pair<A, B>> {
  static void spell(Spelling& s) { Conversion<std::tuple<A, B>>::spell(s); }
  static void to(const std::pair<A, B>& v, leap_value* out) {
    Conversion<std::tuple<A, B>>::to(std::tuple<A, B>(v), out);
  }
};
template <typename T, size_t N>
struct Conversion<std::array<T, N>> {
  static void spell(Spelling& s) { Conversion<std::vector<T>>::spell(s); }
  static void to(const std::array<T, N>& v, leap_value* out) {
    Conversion<std::vector<T>>::to(std::vector<T>(v.begin(), v.end()), out);
  }
};

template <typename T>
using Plain = std::remove_cv_t<std::remove_reference_t<T>>;

// Keeps the text of the exception in flight for Python. Call inside a catch block.
int report_exception();

// Holds one converted argument until the call returns, and lends it as an lvalue.
template <typename T>
struct Slot {
  decltype(Conversion<T>::from(*static_cast<const leap_value*>(nullptr))) value;
  auto& get() { return value; }
};

template <typename F>
struct Caller;
template <typename R, typename... A>
struct Caller<R (*)(A...)> {
  static void spell(Spelling& parameters, Spelling& result) {
    (Conversion<Plain<A>>::spell(parameters), ...);
    if constexpr (std::is_void_v<R>) {
      result.put('v');
    } else {
      Conversion<Plain<R>>::spell(result);
    }
  }
  template <size_t... I>
  static void run(R (*f)(A...), [[maybe_unused]] const leap_value* a,
                  [[maybe_unused]] leap_value* out, std::index_sequence<I...>) {
    if constexpr (std::is_void_v<R>) {
      f(static_cast<A&&>(Slot<Plain<A>>{Conversion<Plain<A>>::from(a[I])}.get())...);
    } else {
      Conversion<Plain<R>>::to(
          f(static_cast<A&&>(Slot<Plain<A>>{Conversion<Plain<A>>::from(a[I])}.get())...), out);
    }
  }
  static int invoke(void (*target)(), const leap_value* a, leap_value* out) {
    try {
      run(reinterpret_cast<R (*)(A...)>(target), a, out, std::index_sequence_for<A...>());
      return 0;
    } catch (...) {
      return report_exception();
    }
  }
};
// The function pointer type of a lambda that captures nothing.
template <typename F>
struct LambdaPointer;
template <typename C, typename R, typename... A>
struct LambdaPointer<R (C::*)(A...) const> {
  using type = R (*)(A...);
};

}  // namespace leap

namespace pybind11 {

struct none {};
struct arg_v {
  const char* name;
  leap_value value;
};
struct arg {
  const char* name;
  explicit constexpr arg(const char* n) : name(n) {}
  arg& noconvert(bool = true) { return *this; }
  arg& none(bool = true) { return *this; }
  template <typename T>
  arg_v operator=(const T& v) const {
    arg_v result{name, {}};
    if constexpr (std::is_convertible_v<T, const char*>) {
      leap::Conversion<const char*>::to(v, &result.value);
    } else {
      leap::Conversion<T>::to(v, &result.value);
    }
    return result;
  }
  arg_v operator=(std::nullopt_t) const { return arg_v{name, {}}; }
  arg_v operator=(std::nullptr_t) const { return arg_v{name, {}}; }
  arg_v operator=(const pybind11::none&) const { return arg_v{name, {}}; }
};
inline namespace literals {
inline arg operator""_a(const char* name, size_t) { return arg(name); }
}  // namespace literals

struct gil_scoped_release {
  gil_scoped_release() {}
  ~gil_scoped_release() {}
};
struct gil_scoped_acquire {
  gil_scoped_acquire() {}
  ~gil_scoped_acquire() {}
};
template <typename...>
struct call_guard {};
enum class return_value_policy { automatic, copy, move, reference, take_ownership };

class module_ {
 public:
  explicit module_(void* object) : object_(object) {}

  template <typename F, typename... Extra>
  module_& def(const char* name, F&& function, const Extra&... extra) {
    using Decayed = std::decay_t<F>;
    if constexpr (std::is_pointer_v<Decayed>) {
      define(name, static_cast<Decayed>(function), extra...);
    } else {
      using Pointer = typename leap::LambdaPointer<decltype(&Decayed::operator())>::type;
      define(name, static_cast<Pointer>(function), extra...);
    }
    return *this;
  }
  // `m.doc() = "..."`: Python users of a submission do not read it.
  struct Doc {
    template <typename T>
    Doc& operator=(const T&) {
      return *this;
    }
  };
  Doc doc() { return Doc(); }

 private:
  struct Extras {
    static constexpr int kMax = 64;
    const char* doc = "";
    const char* names[kMax];
    leap_value defaults[kMax];
    int name_count = 0;
    int default_count = 0;
    void add(const char* text) { doc = text; }
    void add(const arg& a) {
      if (name_count < kMax) names[name_count++] = a.name;
    }
    void add(const arg_v& a) {
      add(arg(a.name));
      if (default_count < kMax) defaults[default_count++] = a.value;
    }
    template <typename T>
    void add(const T&) {}
  };
  template <typename P, typename... Extra>
  void define(const char* name, P pointer, const Extra&... extra) {
    Extras extras;
    (extras.add(extra), ...);
    leap::Spelling parameters, result;
    parameters.text[0] = '\0';
    leap::Caller<P>::spell(parameters, result);
    leap_function function{};
    function.name = name;
    function.doc = extras.doc;
    function.parameters = parameters.text;
    function.result = result.text;
    function.names = extras.names;
    function.name_count = extras.name_count;
    function.defaults = extras.defaults;
    function.default_count = extras.default_count;
    function.target = reinterpret_cast<void (*)()>(pointer);
    function.invoke = &leap::Caller<P>::invoke;
    leap_define(object_, &function);
  }

  void* object_;
};
using module = module_;

}  // namespace pybind11

namespace py = pybind11;

namespace torch {
template <typename F>
F wrap_pybind_function(F f) {
  return f;
}
template <typename F>
F wrap_pybind_function_no_gil(F f) {
  return f;
}
}  // namespace torch

#define PYBIND11_MODULE(name, variable)                                        \
  static void leap_module_body(::pybind11::module_&);                          \
  extern "C" __attribute__((visibility("default"))) int leap_module_init(void* object) { \
    try {                                                                      \
      ::pybind11::module_ module(object);                                      \
      leap_module_body(module);                                                \
      return 0;                                                                \
    } catch (...) {                                                            \
      return ::leap::report_exception();                                       \
    }                                                                          \
  }                                                                            \
  static void leap_module_body([[maybe_unused]] ::pybind11::module_& variable)
