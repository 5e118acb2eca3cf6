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
// A copy of host values; without a dtype of its own, double becomes float and int int64_t.
at::Tensor tensor(void* data, c10::IntArrayRef size, c10::ScalarType type,
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
inline Tensor arange(const Scalar& start, const Scalar& end, const Scalar& step,
                     const TensorOptions& o = {}) {
  return leap::make("arange", {start, end, step}, o);
}
inline Tensor linspace(const Scalar& start, const Scalar& end, int64_t steps,
                       const TensorOptions& o = {}) {
  return leap::make("linspace", {start, end, steps}, o);
}
inline Tensor randint(int64_t high, IntArrayRef size, const TensorOptions& o = {}) {
  return leap::make("randint", {high, size}, o);
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
template <typename T>
Tensor tensor(ArrayRef<T> values, const TensorOptions& o = {}) {
  const int64_t size = static_cast<int64_t>(values.size());
  return leap::tensor(const_cast<T*>(values.data()), size, CppTypeToScalarType<T>::value, o);
}
template <typename T>
Tensor tensor(std::initializer_list<T> values, const TensorOptions& o = {}) {
  return at::tensor(ArrayRef<T>(values), o);
}
template <typename T>
Tensor tensor(const std::vector<T>& values, const TensorOptions& o = {}) {
  return at::tensor(ArrayRef<T>(values), o);
}
template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
Tensor tensor(T value, const TensorOptions& o = {}) {
  return leap::tensor(&value, {}, CppTypeToScalarType<T>::value, o);
}
inline Tensor Tensor::new_ones(IntArrayRef size) const { return at::ones(size, options()); }
inline Tensor Tensor::new_full(IntArrayRef size, const Scalar& value) const {
  return at::full(size, value, options());
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
inline Tensor addmm(const Tensor& bias, const Tensor& a, const Tensor& b, const Scalar& beta = 1,
                    const Scalar& alpha = 1) {
  return bias.addmm(a, b, beta, alpha);
}
inline Tensor baddbmm(const Tensor& bias, const Tensor& a, const Tensor& b,
                      const Scalar& beta = 1, const Scalar& alpha = 1) {
  return bias.baddbmm(a, b, beta, alpha);
}
#define LEAP_PRODUCT_OUT(name)                                                      \
  inline Tensor& name##_out(Tensor& out, const Tensor& a, const Tensor& b) {        \
    leap::call_inplace(#name, {a, b}, {{"out", out}});                              \
    return out;                                                                     \
  }
LEAP_PRODUCT_OUT(mm)
LEAP_PRODUCT_OUT(bmm)
LEAP_PRODUCT_OUT(matmul)
#undef LEAP_PRODUCT_OUT
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
LEAP_FREE_UNARY(reciprocal)
LEAP_FREE_UNARY(erf)
LEAP_FREE_UNARY(exp2)
LEAP_FREE_UNARY(log2)
LEAP_FREE_UNARY(log1p)
LEAP_FREE_UNARY(sin)
LEAP_FREE_UNARY(cos)
LEAP_FREE_UNARY(floor)
LEAP_FREE_UNARY(ceil)
LEAP_FREE_UNARY(round)
LEAP_FREE_UNARY(sign)
LEAP_FREE_UNARY(all)
LEAP_FREE_UNARY(any)
LEAP_FREE_UNARY(norm)
LEAP_FREE_UNARY(nonzero)
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
LEAP_FREE_BINARY(mv)
LEAP_FREE_BINARY(outer)
LEAP_FREE_BINARY(eq)
LEAP_FREE_BINARY(ne)
LEAP_FREE_BINARY(lt)
LEAP_FREE_BINARY(le)
LEAP_FREE_BINARY(gt)
LEAP_FREE_BINARY(ge)
LEAP_FREE_BINARY(logical_and)
LEAP_FREE_BINARY(logical_or)
LEAP_FREE_BINARY(masked_select)
#undef LEAP_FREE_BINARY
inline Tensor max(const Tensor& a, const Tensor& b) { return leap::call("maximum", {a, b}); }
inline Tensor min(const Tensor& a, const Tensor& b) { return leap::call("minimum", {a, b}); }
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
inline Tensor amax(const Tensor& t, IntArrayRef d = {}, bool keepdim = false) {
  return t.amax(d, keepdim);
}
inline Tensor amin(const Tensor& t, IntArrayRef d = {}, bool keepdim = false) {
  return t.amin(d, keepdim);
}
inline Tensor argmax(const Tensor& t, std::optional<int64_t> d = std::nullopt,
                     bool keepdim = false) {
  return t.argmax(d, keepdim);
}
inline Tensor argmin(const Tensor& t, std::optional<int64_t> d = std::nullopt,
                     bool keepdim = false) {
  return t.argmin(d, keepdim);
}
inline std::tuple<Tensor, Tensor> max(const Tensor& t, int64_t d, bool keepdim = false) {
  return t.max(d, keepdim);
}
inline std::tuple<Tensor, Tensor> min(const Tensor& t, int64_t d, bool keepdim = false) {
  return t.min(d, keepdim);
}
inline std::tuple<Tensor, Tensor> sort(const Tensor& t, int64_t d = -1, bool descending = false) {
  return t.sort(d, descending);
}
inline std::tuple<Tensor, Tensor> topk(const Tensor& t, int64_t k, int64_t d = -1) {
  return t.topk(k, d);
}
inline Tensor var(const Tensor& t, int d) { return t.var(d); }
inline Tensor std(const Tensor& t, int d) { return t.std(d); }
inline Tensor var(const Tensor& t, OptionalIntArrayRef d, bool unbiased, bool keepdim = false) {
  return t.var(d, unbiased, keepdim);
}
inline Tensor std(const Tensor& t, OptionalIntArrayRef d, bool unbiased, bool keepdim = false) {
  return t.std(d, unbiased, keepdim);
}
inline Tensor softmax(const Tensor& t, int64_t d, ScalarTypeOpt dtype = std::nullopt) {
  return t.softmax(d, dtype);
}
inline Tensor log_softmax(const Tensor& t, int64_t d) { return t.log_softmax(d); }
inline Tensor cumsum(const Tensor& t, int64_t d) { return t.cumsum(d); }
inline Tensor gelu(const Tensor& t) { return leap::call("nn.functional.gelu", {t}); }
inline Tensor silu(const Tensor& t) { return leap::call("nn.functional.silu", {t}); }
inline Tensor leaky_relu(const Tensor& t, const Scalar& slope = 0.01) {
  return leap::call("nn.functional.leaky_relu", {t, slope});
}
inline Tensor tril(const Tensor& t, int64_t diagonal = 0) { return t.tril(diagonal); }
inline Tensor triu(const Tensor& t, int64_t diagonal = 0) { return t.triu(diagonal); }
inline Tensor flip(const Tensor& t, IntArrayRef dims) { return t.flip(dims); }
inline Tensor permute(const Tensor& t, IntArrayRef dims) { return t.permute(dims); }
inline Tensor index_select(const Tensor& t, int64_t d, const Tensor& index) {
  return t.index_select(d, index);
}
inline Tensor gather(const Tensor& t, int64_t d, const Tensor& index) { return t.gather(d, index); }
inline std::vector<Tensor> chunk(const Tensor& t, int64_t chunks, int64_t d = 0) {
  return t.chunk(chunks, d);
}
inline std::vector<Tensor> split(const Tensor& t, int64_t size, int64_t d = 0) {
  return t.split(size, d);
}
inline std::vector<Tensor> split(const Tensor& t, IntArrayRef sizes, int64_t d = 0) {
  return t.split(sizes, d);
}
inline bool equal(const Tensor& a, const Tensor& b) { return a.equal(b); }
inline bool allclose(const Tensor& a, const Tensor& b, double rtol = 1e-5, double atol = 1e-8) {
  return a.allclose(b, rtol, atol);
}
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
LEAP_OPERATOR(&, bitwise_and)
LEAP_OPERATOR(|, bitwise_or)
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
