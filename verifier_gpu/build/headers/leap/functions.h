// Factories and free functions of namespace at (torch::empty, torch::cat, ...).
#pragma once

#include "tensor.h"

namespace at {

inline std::tuple<Tensor, Tensor> Tensor::max(int64_t d, bool keepdim) const {
  return leap::call_two("Tensor.max", {*this, d, keepdim});
}
inline std::tuple<Tensor, Tensor> Tensor::min(int64_t d, bool keepdim) const {
  return leap::call_two("Tensor.min", {*this, d, keepdim});
}

// ---- Factories ----
inline Tensor empty(IntArrayRef size, const TensorOptions& o = {},
                    std::optional<MemoryFormat> format = std::nullopt) {
  if (format.value_or(o.memory_format_opt().value_or(MemoryFormat::Contiguous)) !=
      MemoryFormat::Contiguous) {
    return leap::call("empty", {size},
                      {{"dtype", o.dtype().toScalarType()},
                       {"device", o.device()},
                       {"memory_format", format ? *format : *o.memory_format_opt()}});
  }
  const Device device = o.device();
  leap_tensor result = nullptr;
  leap::check(leap_tensor_empty(size.data(), static_cast<int64_t>(size.size()),
                                static_cast<int>(o.dtype().toScalarType()),
                                static_cast<int>(device.type()), device.index(), &result));
  return Tensor::adopt(result);
}
#define LEAP_FACTORY(name)                                                                   \
  inline Tensor name(IntArrayRef size, const TensorOptions& o = {}) {                        \
    return leap::call(#name, {size},                                                         \
                      {{"dtype", o.dtype().toScalarType()}, {"device", o.device()}});        \
  }
LEAP_FACTORY(zeros)
LEAP_FACTORY(ones)
LEAP_FACTORY(rand)
LEAP_FACTORY(randn)
#undef LEAP_FACTORY
inline Tensor full(IntArrayRef size, const Scalar& value, const TensorOptions& o = {}) {
  return leap::call("full", {size, value}, {{"dtype", o.dtype_opt()}, {"device", o.device()}});
}
inline Tensor arange(const Scalar& end, const TensorOptions& o = {}) {
  return leap::call("arange", {end}, {{"dtype", o.dtype_opt()}, {"device", o.device()}});
}
inline Tensor arange(const Scalar& start, const Scalar& end, const TensorOptions& o = {}) {
  return leap::call("arange", {start, end}, {{"dtype", o.dtype_opt()}, {"device", o.device()}});
}
inline Tensor scalar_tensor(const Scalar& value, const TensorOptions& o = {}) {
  return leap::call("scalar_tensor", {value}, {{"dtype", o.dtype_opt()}, {"device", o.device()}});
}
inline Tensor empty_strided(IntArrayRef size, IntArrayRef stride, const TensorOptions& o = {}) {
  return leap::call("empty_strided", {size, stride},
                    {{"dtype", o.dtype().toScalarType()}, {"device", o.device()}});
}
inline Tensor empty_like(const Tensor& t, const TensorOptions& o = {},
                         std::optional<MemoryFormat> format = std::nullopt) {
  const TensorOptions with = TensorOptions(o.dtype_opt().value_or(t.scalar_type()))
                                 .device(o.device_opt().value_or(t.device()));
  const bool dense = t.is_contiguous() || format == MemoryFormat::Contiguous ||
                     o.memory_format_opt() == MemoryFormat::Contiguous;
  if (dense && (!format || *format <= MemoryFormat::Preserve)) return empty(t.sizes(), with);
  return leap::call("empty_like", {t},
                    {{"dtype", with.dtype().toScalarType()},
                     {"device", with.device()},
                     {"memory_format", format.value_or(MemoryFormat::Preserve)}});
}
#define LEAP_FACTORY_LIKE(name)                                                              \
  inline Tensor name(const Tensor& t, const TensorOptions& o = {}) {                         \
    return leap::call(#name, {t},                                                            \
                      {{"dtype", o.dtype_opt().value_or(t.scalar_type())},                   \
                       {"device", o.device_opt().value_or(t.device())}});                    \
  }
LEAP_FACTORY_LIKE(zeros_like)
LEAP_FACTORY_LIKE(ones_like)
LEAP_FACTORY_LIKE(rand_like)
LEAP_FACTORY_LIKE(randn_like)
#undef LEAP_FACTORY_LIKE
inline Tensor full_like(const Tensor& t, const Scalar& value, const TensorOptions& o = {}) {
  return leap::call("full_like", {t, value},
                    {{"dtype", o.dtype_opt().value_or(t.scalar_type())},
                     {"device", o.device_opt().value_or(t.device())}});
}
inline Tensor from_blob(void* data, IntArrayRef size, IntArrayRef stride,
                        const TensorOptions& o = {}) {
  const Device device = o.device();
  leap_tensor result = nullptr;
  leap::check(leap_tensor_from_blob(data, size.data(), stride.data(),
                                    static_cast<int64_t>(size.size()),
                                    static_cast<int>(o.dtype().toScalarType()),
                                    static_cast<int>(device.type()), device.index(), &result));
  return Tensor::adopt(result);
}
inline Tensor from_blob(void* data, IntArrayRef size, const TensorOptions& o = {}) {
  std::vector<int64_t> stride(size.size(), 1);
  for (size_t i = size.size(); i-- > 1;) stride[i - 1] = stride[i] * size[i];
  return from_blob(data, size, stride, o);
}

inline Tensor Tensor::new_empty(IntArrayRef size) const { return at::empty(size, options()); }
inline Tensor Tensor::new_zeros(IntArrayRef size) const { return at::zeros(size, options()); }
inline Tensor Tensor::new_empty(IntArrayRef size, const TensorOptions& o) const {
  return at::empty(size, TensorOptions(o.dtype_opt().value_or(scalar_type()))
                             .device(o.device_opt().value_or(device())));
}
inline Tensor Tensor::new_zeros(IntArrayRef size, const TensorOptions& o) const {
  return at::zeros(size, TensorOptions(o.dtype_opt().value_or(scalar_type()))
                             .device(o.device_opt().value_or(device())));
}

// ---- Operations ----
inline Tensor cat(TensorList list, int64_t d = 0) { return leap::call("cat", {list, d}); }
inline Tensor stack(TensorList list, int64_t d = 0) { return leap::call("stack", {list, d}); }
inline Tensor addmm(const Tensor& bias, const Tensor& a, const Tensor& b) {
  return leap::call("addmm", {bias, a, b});
}
inline Tensor linear(const Tensor& x, const Tensor& weight,
                     const std::optional<Tensor>& bias = std::nullopt) {
  return leap::call("nn.functional.linear", {x, weight, bias});
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

}  // namespace at
