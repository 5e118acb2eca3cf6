// Slim headers, bodies: what tensors and options say, and new tensors.
//
// Compiled once, by the compiler that compiles the submissions; none of these
// names exists in torch, so neither library can stand in for the other.
#define LEAP_WITH_STRINGS

#include <vector>

#include "../headers/leap/binding.h"
#include "../headers/leap/dispatch.h"

#pragma GCC visibility push(default)

namespace leap {

// ---- Metadata ----

static leap_tensor defined(leap_tensor t) {
  if (t == nullptr) undefined_tensor();
  return t;
}
static int64_t wrap(int64_t d, int64_t n) {
  if (d >= -n && d < n) return d < 0 ? d + n : d;
  if (n == 0)
    throw Error(text({"Dimension specified as ", d, " but tensor has no dimensions"}),
                LEAP_INDEX_ERROR);
  throw Error(text({"Dimension out of range (expected to be in range of [", -n, ", ", n - 1,
                    "], but got ", d, ")"}),
              LEAP_INDEX_ERROR);
}
int64_t dim(leap_tensor t) { return leap_tensor_dim(defined(t)); }
c10::IntArrayRef sizes(leap_tensor t) {
  const size_t n = static_cast<size_t>(dim(t));
  return {leap_tensor_sizes(t), n};
}
c10::IntArrayRef strides(leap_tensor t) {
  const size_t n = static_cast<size_t>(dim(t));
  return {leap_tensor_strides(t), n};
}
int64_t size(leap_tensor t, int64_t d) {
  const c10::IntArrayRef all = sizes(t);
  return all[static_cast<size_t>(wrap(d, static_cast<int64_t>(all.size())))];
}
int64_t stride(leap_tensor t, int64_t d) {
  const c10::IntArrayRef all = strides(t);
  return all[static_cast<size_t>(wrap(d, static_cast<int64_t>(all.size())))];
}
c10::Device device(leap_tensor t) {
  int type = 0, index = -1;
  leap_tensor_device(defined(t), &type, &index);
  return {static_cast<c10::DeviceType>(type), static_cast<c10::DeviceIndex>(index)};
}
static c10::ScalarType dtype(leap_tensor t) {
  return t == nullptr ? c10::ScalarType::Undefined
                      : static_cast<c10::ScalarType>(leap_tensor_dtype(t));
}
Options options(leap_tensor t) {
  return c10::TensorOptions(dtype(t)).device(device(t)).raw();
}
void* data(leap_tensor t) { return leap_tensor_data(defined(t)); }
void* data(leap_tensor t, c10::ScalarType expected) {
  if (dtype(t) != expected)
    throw Error(text({"expected scalar type ", expected, " but found ", dtype(t)}));
  return data(t);
}
void expect_dim(leap_tensor t, int64_t expected) {
  if (dim(t) != expected)
    throw Error(text({"TensorAccessor expected ", expected, " dims but tensor has ", dim(t)}));
}
c10::DeviceIndex index_of(std::optional<c10::Device> device) {
  return device ? device->index() : -1;
}
std::optional<c10::Device> device_of(const at::Tensor& t) {
  return t.defined() ? std::optional<c10::Device>(t.device()) : std::nullopt;
}

// ---- Options ----

void set(Options* o, std::optional<c10::ScalarType> v) {
  o->has_dtype = v.has_value();
  o->dtype = v.value_or(Options().dtype);
}
void set(Options* o, std::optional<c10::Device> v) {
  o->has_device = v.has_value();
  o->device = v.value_or(Options().device);
}
void set(Options* o, std::optional<c10::MemoryFormat> v) {
  o->has_memory_format = v.has_value();
  o->memory_format = v.value_or(Options().memory_format);
}
std::optional<c10::ScalarType> asked_dtype(const Options& o) {
  return o.has_dtype ? std::optional<c10::ScalarType>(o.dtype) : std::nullopt;
}
std::optional<c10::Device> asked_device(const Options& o) {
  return o.has_device ? std::optional<c10::Device>(o.device) : std::nullopt;
}
std::optional<c10::MemoryFormat> asked_memory_format(const Options& o) {
  return o.has_memory_format ? std::optional<c10::MemoryFormat>(o.memory_format) : std::nullopt;
}
Options merge(const Options& o, const Options& more) {
  Options merged = o;
  if (more.has_dtype) set(&merged, asked_dtype(more));
  if (more.has_device) set(&merged, asked_device(more));
  if (more.has_memory_format) set(&merged, asked_memory_format(more));
  return merged;
}

// ---- Factories ----

at::Tensor make(const char* name, Arguments arguments, const c10::TensorOptions& o) {
  return call(name, arguments, {{"dtype", o.dtype_opt()}, {"device", o.device()}});
}
at::Tensor make_like(const char* name, const at::Tensor& t, const c10::TensorOptions& o) {
  const c10::TensorOptions with = t.options().merge_in(o);
  return call(name, {t}, {{"dtype", with.dtype().toScalarType()}, {"device", with.device()}});
}
at::Tensor empty(c10::IntArrayRef size, const c10::TensorOptions& o,
                 std::optional<c10::MemoryFormat> format) {
  const c10::MemoryFormat wanted =
      format.value_or(o.memory_format_opt().value_or(c10::MemoryFormat::Contiguous));
  const c10::Device device = o.device();
  if (wanted != c10::MemoryFormat::Contiguous) {
    return call("empty", {size},
                {{"dtype", o.dtype().toScalarType()}, {"device", device}, {"memory_format", wanted}});
  }
  leap_tensor result = nullptr;
  check(leap_tensor_empty(size.data(), static_cast<int64_t>(size.size()),
                          static_cast<int>(o.dtype().toScalarType()),
                          static_cast<int>(device.type()), device.index(), &result));
  return at::Tensor::adopt(result);
}
at::Tensor empty(c10::IntArrayRef size, const c10::TensorOptions& o) {
  return leap::empty(size, o, std::nullopt);
}
at::Tensor empty_like(const at::Tensor& t, const c10::TensorOptions& o) {
  return leap::empty_like(t, o, std::nullopt);
}
at::Tensor empty_like(const at::Tensor& t, const c10::TensorOptions& o,
                      std::optional<c10::MemoryFormat> format) {
  const c10::TensorOptions with = t.options().merge_in(o);
  const c10::MemoryFormat wanted =
      format.value_or(o.memory_format_opt().value_or(c10::MemoryFormat::Preserve));
  if (wanted == c10::MemoryFormat::Contiguous ||
      (wanted == c10::MemoryFormat::Preserve && t.is_contiguous()))
    return leap::empty(t.sizes(), with);
  return call("empty_like", {t},
              {{"dtype", with.dtype().toScalarType()}, {"device", with.device()}, {"memory_format", wanted}});
}
at::Tensor from_blob(void* data, c10::IntArrayRef size, const c10::IntArrayRef* stride,
                     const c10::TensorOptions& o) {
  std::vector<int64_t> strides(size.size(), 1);
  for (size_t i = size.size(); i-- > 1;) strides[i - 1] = strides[i] * size[i];
  const c10::Device device = o.device();
  leap_tensor result = nullptr;
  check(leap_tensor_from_blob(data, size.data(), stride ? stride->data() : strides.data(),
                              static_cast<int64_t>(size.size()),
                              static_cast<int>(o.dtype().toScalarType()),
                              static_cast<int>(device.type()), device.index(), &result));
  return at::Tensor::adopt(result);
}

at::Tensor tensor(void* data, c10::IntArrayRef size, c10::ScalarType type,
                  const c10::TensorOptions& o) {
  auto wanted = type;
  if (type == c10::kDouble) wanted = c10::kFloat;
  if (type == c10::kInt) wanted = c10::kLong;
  const at::Tensor host = leap::from_blob(data, size, nullptr, c10::TensorOptions(type));
  return to(host, c10::TensorOptions(wanted).device(c10::kCPU).merge_in(o).raw(), true);
}

}  // namespace leap

#pragma GCC visibility pop
