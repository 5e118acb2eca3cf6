// Factories and free functions of namespace at (torch::empty, torch::cat, ...).
#pragma once

#include "tensor.h"

namespace leap {
at::Tensor empty(c10::IntArrayRef size, const c10::TensorOptions& o);
at::Tensor empty(c10::IntArrayRef size, const c10::TensorOptions& o,
                 std::optional<c10::MemoryFormat> format);
at::Tensor empty_like(const at::Tensor& t, const c10::TensorOptions& o);
at::Tensor empty_like(const at::Tensor& t, const c10::TensorOptions& o,
                      std::optional<c10::MemoryFormat> format);
// A factory with the dtype and device of `o`; without a dtype, torch's own choice.
at::Tensor make(const char* name, Arguments arguments, const c10::TensorOptions& o);
// A factory after the model of `t`.
at::Tensor make_like(const char* name, const at::Tensor& t, const c10::TensorOptions& o);
at::Tensor from_blob(void* data, c10::IntArrayRef size, const c10::IntArrayRef* stride,
                     const c10::TensorOptions& o);
at::Tensor linear(const at::Tensor& x, const at::Tensor& weight,
                  const std::optional<at::Tensor>& bias);
}  // namespace leap

namespace at {

inline std::tuple<Tensor, Tensor> Tensor::max(int64_t d, bool keepdim) const {
  return leap::call_two("Tensor.max", {*this, d, keepdim});
}
inline std::tuple<Tensor, Tensor> Tensor::min(int64_t d, bool keepdim) const {
  return leap::call_two("Tensor.min", {*this, d, keepdim});
}
inline std::tuple<Tensor, Tensor> Tensor::sort(int64_t d, bool descending) const {
  return leap::call_two("Tensor.sort", {*this, d, descending});
}
inline std::tuple<Tensor, Tensor> Tensor::topk(int64_t k, int64_t d, bool largest) const {
  return leap::call_two("Tensor.topk", {*this, k, d, largest});
}

// ---- Factories ----
inline Tensor empty(IntArrayRef size, const TensorOptions& o = {}) { return leap::empty(size, o); }
inline Tensor empty(IntArrayRef size, const TensorOptions& o, std::optional<MemoryFormat> format) {
  return leap::empty(size, o, format);
}
inline Tensor empty_like(const Tensor& t, const TensorOptions& o = {}) {
  return leap::empty_like(t, o);
}
inline Tensor empty_like(const Tensor& t, const TensorOptions& o,
                         std::optional<MemoryFormat> format) {
  return leap::empty_like(t, o, format);
}
inline Tensor zeros(IntArrayRef size, const TensorOptions& o = {}) {
  return leap::make("zeros", {size}, o);
}
inline Tensor ones(IntArrayRef size, const TensorOptions& o = {}) {
  return leap::make("ones", {size}, o);
}
inline Tensor rand(IntArrayRef size, const TensorOptions& o = {}) {
  return leap::make("rand", {size}, o);
}
inline Tensor randn(IntArrayRef size, const TensorOptions& o = {}) {
  return leap::make("randn", {size}, o);
}
inline Tensor full(IntArrayRef size, const Scalar& value, const TensorOptions& o = {}) {
  return leap::make("full", {size, value}, o);
}
inline Tensor arange(const Scalar& end, const TensorOptions& o = {}) {
  return leap::make("arange", {end}, o);
}
inline Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& o = {}) {
  return leap::make("arange", {start, end}, o);
}
inline Tensor eye(int64_t n, const TensorOptions& o = {}) { return leap::make("eye", {n}, o); }
inline Tensor scalar_tensor(const Scalar& value, const TensorOptions& o = {}) {
  return leap::make("scalar_tensor", {value}, o);
}
inline Tensor empty_strided(IntArrayRef size, IntArrayRef stride, const TensorOptions& o = {}) {
  return leap::make("empty_strided", {size, stride}, o);
}
inline Tensor zeros_like(const Tensor& t, const TensorOptions& o = {}) {
  return leap::make_like("zeros_like", t, o);
}
inline Tensor ones_like(const Tensor& t, const TensorOptions& o = {}) {
  return leap::make_like("ones_like", t, o);
}
inline Tensor rand_like(const Tensor& t, const TensorOptions& o = {}) {
  return leap::make_like("rand_like", t, o);
}
inline Tensor randn_like(const Tensor& t, const TensorOptions& o = {}) {
  return leap::make_like("randn_like", t, o);
}
inline Tensor full_like(const Tensor& t, const Scalar& value, const TensorOptions& o = {}) {
  return full(t.sizes(), value, t.options().merge_in(o));
}
inline Tensor from_blob(void* data, IntArrayRef size, const TensorOptions& o = {}) {
  return leap::from_blob(data, size, nullptr, o);
}
inline Tensor from_blob(void* data, IntArrayRef size, IntArrayRef stride,
                        const TensorOptions& o = {}) {
  return leap::from_blob(data, size, &stride, o);
}
inline Tensor Tensor::new_empty(IntArrayRef size) const { return at::empty(size, options()); }
inline Tensor Tensor::new_zeros(IntArrayRef size) const { return at::zeros(size, options()); }
inline Tensor Tensor::new_empty(IntArrayRef size, const TensorOptions& o) const {
  return at::empty(size, options().merge_in(o));
}
inline Tensor Tensor::new_zeros(IntArrayRef size, const TensorOptions& o) const {
  return at::zeros(size, options().merge_in(o));
}

// ---- Operations ----
inline Tensor cat(TensorList list, int64_t d = 0) { return leap::call("cat", {list, d}); }
inline Tensor stack(TensorList list, int64_t d = 0) { return leap::call("stack", {list, d}); }
inline Tensor addmm(const Tensor& bias, const Tensor& a, const Tensor& b) {
  return leap::call("addmm", {bias, a, b});
}
inline Tensor linear(const Tensor& x, const Tensor& weight,
                     const std::optional<Tensor>& bias = std::nullopt) {
  return leap::linear(x, weight, bias);
}
inline Tensor where(const Tensor& condition, const Tensor& a, const Tensor& b) {
  return leap::call("where", {condition, a, b});
}
#define LEAP_FREE_UNARY(name) \
  inline Tensor name(const Tensor& t) { return t.name(); }
LEAP_FREE_UNARY(abs)
LEAP_FREE_UNARY(neg)
LEAP_FREE_UNARY(exp)
LEAP_FREE_UNARY(log)
LEAP_FREE_UNARY(sqrt)
LEAP_FREE_UNARY(rsqrt)
LEAP_FREE_UNARY(square)
LEAP_FREE_UNARY(relu)
LEAP_FREE_UNARY(sigmoid)
LEAP_FREE_UNARY(tanh)
LEAP_FREE_UNARY(max)
LEAP_FREE_UNARY(min)
LEAP_FREE_UNARY(clone)
LEAP_FREE_UNARY(squeeze)
LEAP_FREE_UNARY(isnan)
LEAP_FREE_UNARY(isinf)
#undef LEAP_FREE_UNARY
#define LEAP_FREE_BINARY(name)                                                   \
  inline Tensor name(const Tensor& a, const Tensor& b) { return a.name(b); }
LEAP_FREE_BINARY(matmul)
LEAP_FREE_BINARY(mm)
LEAP_FREE_BINARY(bmm)
LEAP_FREE_BINARY(dot)
LEAP_FREE_BINARY(add)
LEAP_FREE_BINARY(sub)
LEAP_FREE_BINARY(mul)
LEAP_FREE_BINARY(div)
#undef LEAP_FREE_BINARY
inline Tensor maximum(const Tensor& a, const Tensor& b) { return leap::call("maximum", {a, b}); }
inline Tensor minimum(const Tensor& a, const Tensor& b) { return leap::call("minimum", {a, b}); }
inline Tensor pow(const Tensor& a, const Scalar& v) { return a.pow(v); }
inline Tensor clamp(const Tensor& t, const std::optional<Scalar>& low,
                    const std::optional<Scalar>& high = std::nullopt) {
  return t.clamp(low, high);
}
inline Tensor sum(const Tensor& t, ScalarTypeOpt dtype = std::nullopt) { return t.sum(dtype); }
inline Tensor sum(const Tensor& t, OptionalIntArrayRef d, bool keepdim = false,
                  ScalarTypeOpt dtype = std::nullopt) {
  return t.sum(d, keepdim, dtype);
}
inline Tensor mean(const Tensor& t, ScalarTypeOpt dtype = std::nullopt) { return t.mean(dtype); }
inline Tensor mean(const Tensor& t, OptionalIntArrayRef d, bool keepdim = false,
                   ScalarTypeOpt dtype = std::nullopt) {
  return t.mean(d, keepdim, dtype);
}
inline Tensor softmax(const Tensor& t, int64_t d) { return t.softmax(d); }
inline Tensor transpose(const Tensor& t, int64_t a, int64_t b) { return t.transpose(a, b); }
inline Tensor reshape(const Tensor& t, IntArrayRef size) { return t.reshape(size); }
inline Tensor flatten(const Tensor& t, int64_t start = 0, int64_t end = -1) {
  return t.flatten(start, end);
}
inline Tensor unsqueeze(const Tensor& t, int64_t d) { return t.unsqueeze(d); }

#define LEAP_OPERATOR(symbol, name)                                                         \
  inline Tensor operator symbol(const Tensor& a, const Tensor& b) { return a.name(b); }     \
  inline Tensor operator symbol(const Tensor& a, const Scalar& b) { return a.name(b); }
LEAP_OPERATOR(+, add)
LEAP_OPERATOR(-, sub)
LEAP_OPERATOR(*, mul)
LEAP_OPERATOR(/, div)
LEAP_OPERATOR(<, lt)
LEAP_OPERATOR(<=, le)
LEAP_OPERATOR(>, gt)
LEAP_OPERATOR(>=, ge)
LEAP_OPERATOR(==, eq)
LEAP_OPERATOR(!=, ne)
#undef LEAP_OPERATOR
inline Tensor operator+(const Scalar& a, const Tensor& b) { return b.add(a); }
inline Tensor operator*(const Scalar& a, const Tensor& b) { return b.mul(a); }
inline Tensor operator-(const Scalar& a, const Tensor& b) {
  return leap::call("rsub", {b, a});
}
inline Tensor operator/(const Scalar& a, const Tensor& b) { return b.reciprocal().mul(a); }

// Turns gradients off until the end of the scope.
class NoGradGuard {
 public:
  NoGradGuard() : before_(leap_grad_mode(0)) {}
  NoGradGuard(const NoGradGuard&) = delete;
  ~NoGradGuard() { leap_grad_mode(before_); }

 private:
  int before_;
};

template <typename T>
LEAP_HOST_DEVICE constexpr T ceil_div(T a, T b) {
  return (a + b - 1) / b;
}

}  // namespace at
