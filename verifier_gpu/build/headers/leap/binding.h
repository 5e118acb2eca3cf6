// The part of pybind11 that extensions use: PYBIND11_MODULE, module_::def, arg.
#pragma once

#include <array>
#include <utility>

#include "functions.h"

namespace pybind11 {
struct arg;
struct arg_v;
class module_;
}  // namespace pybind11

namespace leap {

// A type in the letters of abi.h.
template <size_t N>
struct Spelling {
  char text[N];
};
constexpr Spelling<2> spell(char letter) { return {{letter, '\0'}}; }
// Two spellings, one after the other.
template <size_t N, size_t M>
constexpr Spelling<N + M - 1> operator+(const Spelling<N>& a, const Spelling<M>& b) {
  Spelling<N + M - 1> both{};
  for (size_t i = 0; i + 1 < N; ++i) both.text[i] = a.text[i];
  for (size_t i = 0; i < M; ++i) both.text[N - 1 + i] = b.text[i];
  return both;
}

// Conversion<T>: how T is written in a signature, and how it crosses the boundary.
template <typename T, typename = void>
struct Conversion;

void put_text(const char* text, size_t size, leap_value* out);

template <typename T>
struct Conversion<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>>> {
  static constexpr char letter = "?ch?i???l"[sizeof(T)];
  static constexpr auto spelling =
      spell(std::is_signed_v<T> ? letter : static_cast<char>(letter - 'a' + 'A'));
  static T from(const leap_value& v) { return static_cast<T>(v.integer); }
  static void to(T v, leap_value* out) {
    out->kind = LEAP_INT;
    out->integer = static_cast<int64_t>(v);
  }
};
template <>
struct Conversion<bool> {
  static constexpr auto spelling = spell('b');
  static bool from(const leap_value& v) { return v.integer != 0; }
  static void to(bool v, leap_value* out) { out->kind = LEAP_BOOL, out->integer = v; }
};
template <typename T>
struct Conversion<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static constexpr auto spelling = spell('f');
  static T from(const leap_value& v) { return static_cast<T>(v.real); }
  static void to(T v, leap_value* out) { out->kind = LEAP_FLOAT, out->real = v; }
};
// The tensor of an argument, and a tensor as a result.
at::Tensor get_tensor(const leap_value& v);
void put_tensor(at::Tensor v, leap_value* out);
template <>
struct Conversion<at::Tensor> {
  static constexpr auto spelling = spell('T');
  static at::Tensor from(const leap_value& v) { return get_tensor(v); }
  static void to(at::Tensor v, leap_value* out) {
    put_tensor(static_cast<at::Tensor&&>(v), out);
  }
};
template <>
struct Conversion<const char*> {
  static constexpr auto spelling = spell('s');
  static const char* from(const leap_value& v) { return v.text; }
  static void to(const char* v, leap_value* out) { put_text(v, __builtin_strlen(v), out); }
};
#ifdef LEAP_WITH_STRINGS
template <>
struct Conversion<std::string> {
  static constexpr auto spelling = spell('s');
  static std::string from(const leap_value& v) {
    return std::string(v.text, static_cast<size_t>(v.count));
  }
  static void to(const std::string& v, leap_value* out) { put_text(v.data(), v.size(), out); }
};
template <>
struct Conversion<std::string_view> {
  static constexpr auto spelling = spell('s');
  static std::string_view from(const leap_value& v) {
    return std::string_view(v.text, static_cast<size_t>(v.count));
  }
};
#endif
template <>
struct Conversion<c10::Scalar> {
  static constexpr auto spelling = spell('S');
  static c10::Scalar from(const leap_value& v) { return c10::Scalar(v); }
  static void to(const c10::Scalar& v, leap_value* out) { *out = v.raw(); }
};
template <>
struct Conversion<c10::ScalarType> {
  static constexpr auto spelling = spell('D');
  static c10::ScalarType from(const leap_value& v) {
    return static_cast<c10::ScalarType>(v.integer);
  }
  static void to(c10::ScalarType v, leap_value* out) { *out = Argument(v).raw(); }
};
template <>
struct Conversion<c10::Device> {
  static constexpr auto spelling = spell('V');
  static c10::Device from(const leap_value& v) {
    return c10::Device(static_cast<c10::DeviceType>(v.integer),
                       static_cast<c10::DeviceIndex>(v.count));
  }
  static void to(const c10::Device& v, leap_value* out) { *out = Argument(v).raw(); }
};
template <typename T>
struct Conversion<std::optional<T>> {
  static constexpr auto spelling = spell('?') + Conversion<T>::spelling;
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
  static constexpr auto spelling = spell('[') + Conversion<T>::spelling;
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
// ArrayRef borrows: the vector behind it lives until the call returns.
template <typename T>
struct Conversion<c10::ArrayRef<T>> {
  static constexpr auto spelling = Conversion<std::vector<T>>::spelling;
  static std::vector<T> from(const leap_value& v) { return Conversion<std::vector<T>>::from(v); }
  static void to(c10::ArrayRef<T> v, leap_value* out) {
    Conversion<std::vector<T>>::to(v.vec(), out);
  }
};
template <typename... T>
struct Conversion<std::tuple<T...>> {
  static constexpr auto spelling = (spell('(') + ... + Conversion<T>::spelling) + spell(')');
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
  static constexpr auto spelling = Conversion<std::tuple<A, B>>::spelling;
  static void to(const std::pair<A, B>& v, leap_value* out) {
    Conversion<std::tuple<A, B>>::to(std::tuple<A, B>(v), out);
  }
};
template <typename T, size_t N>
struct Conversion<std::array<T, N>> {
  static constexpr auto spelling = Conversion<std::vector<T>>::spelling;
  static void to(const std::array<T, N>& v, leap_value* out) {
    Conversion<std::vector<T>>::to(std::vector<T>(v.begin(), v.end()), out);
  }
};

template <typename T>
using Plain = std::remove_cv_t<std::remove_reference_t<T>>;

// Lends a temporary as an lvalue, until the end of the call's expression.
template <typename T>
T& lend(T&& v) {
  return v;
}

template <typename F>
struct Caller;
template <typename R, typename... A>
struct Caller<R (*)(A...)> {
  static constexpr const char* parameters[] = {Conversion<Plain<A>>::spelling.text..., nullptr};
  static constexpr const char* result() {
    if constexpr (std::is_void_v<R>) {
      return "v";
    } else {
      return Conversion<Plain<R>>::spelling.text;
    }
  }
  template <size_t... I>
  static void run(R (*f)(A...), [[maybe_unused]] const leap_value* a,
                  [[maybe_unused]] leap_value* out, std::index_sequence<I...>) {
    if constexpr (std::is_void_v<R>) {
      f(static_cast<A&&>(lend(Conversion<Plain<A>>::from(a[I])))...);
    } else {
      Conversion<Plain<R>>::to(f(static_cast<A&&>(lend(Conversion<Plain<A>>::from(a[I])))...), out);
    }
  }
  static void invoke(void (*target)(), const leap_value* a, leap_value* out) {
    run(reinterpret_cast<R (*)(A...)>(target), a, out, std::index_sequence_for<A...>());
  }
};

// A function on its way into a module.
class __attribute__((visibility("default"))) Definition {
 public:
  Definition(const char* name, void (*target)());
  Definition(const Definition&) = delete;
  ~Definition();
  void add(const char* doc);
  void add(const pybind11::arg& a);
  void add(const pybind11::arg_v& a);
  template <typename T>
  void add(const T&) {}
  void finish(void* module, const char* const* parameters, const char* result,
              void (*invoke)(void (*)(), const leap_value*, leap_value*));

 private:
  struct Parts;
  Parts* parts_;
};
// Runs a module's body: 0, or -1 with leap_error() set.
int initialise(void* object, void (*body)(pybind11::module_&));

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
  template <typename P, typename... Extra>
  void define(const char* name, P pointer, const Extra&... extra) {
    leap::Definition definition(name, reinterpret_cast<void (*)()>(pointer));
    (definition.add(extra), ...);
    definition.finish(object_, leap::Caller<P>::parameters, leap::Caller<P>::result(),
                      &leap::Caller<P>::invoke);
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
    return ::leap::initialise(object, &leap_module_body);                      \
  }                                                                            \
  static void leap_module_body([[maybe_unused]] ::pybind11::module_& variable)
