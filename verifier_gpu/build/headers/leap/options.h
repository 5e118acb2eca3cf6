// c10::TensorOptions.
#pragma once

#include "value.h"

namespace leap {

// What a submission asked for; a value counts where its flag is set.
struct Options {
  c10::ScalarType dtype = c10::ScalarType::Float;
  c10::Device device = c10::DeviceType::CPU;
  c10::MemoryFormat memory_format = c10::MemoryFormat::Contiguous;
  bool has_dtype = false;
  bool has_device = false;
  bool has_memory_format = false;
  bool requires_grad = false;
  bool pinned_memory = false;
};
void set(Options* o, std::optional<c10::ScalarType> v);
void set(Options* o, std::optional<c10::Device> v);
void set(Options* o, std::optional<c10::MemoryFormat> v);
std::optional<c10::ScalarType> asked_dtype(const Options& o);
std::optional<c10::Device> asked_device(const Options& o);
std::optional<c10::MemoryFormat> asked_memory_format(const Options& o);
// The device's index; -1 for no device.
c10::DeviceIndex index_of(std::optional<c10::Device> device);
// `o`, with what `more` sets in its place.
Options merge(const Options& o, const Options& more);

}  // namespace leap

namespace c10 {

class TensorOptions {
 public:
  TensorOptions() {}
  explicit TensorOptions(const leap::Options& o) : o_(o) {}
  TensorOptions(ScalarType dtype) { o_.dtype = dtype, o_.has_dtype = true; }
  TensorOptions(caffe2::TypeMeta dtype) : TensorOptions(dtype.toScalarType()) {}
  TensorOptions(Device device) { o_.device = device, o_.has_device = true; }
  TensorOptions(DeviceType device) : TensorOptions(Device(device)) {}
  TensorOptions(Layout) {}
  TensorOptions(MemoryFormat v) { o_.memory_format = v, o_.has_memory_format = true; }

  TensorOptions dtype(std::optional<ScalarType> v) const {
    TensorOptions o = *this;
    leap::set(&o.o_, v);
    return o;
  }
  TensorOptions dtype(ScalarType v) const {
    TensorOptions o = *this;
    o.o_.dtype = v, o.o_.has_dtype = true;
    return o;
  }
  TensorOptions dtype(caffe2::TypeMeta v) const { return dtype(v.toScalarType()); }
  template <typename T>
  TensorOptions dtype() const {
    return dtype(CppTypeToScalarType<T>::value);
  }
  TensorOptions device(std::optional<Device> v) const {
    TensorOptions o = *this;
    leap::set(&o.o_, v);
    return o;
  }
  TensorOptions device(Device v) const {
    TensorOptions o = *this;
    o.o_.device = v, o.o_.has_device = true;
    return o;
  }
  TensorOptions device(DeviceType type, DeviceIndex index = -1) const {
    return device(Device(type, index));
  }
  TensorOptions device(const char* text) const { return device(Device(text)); }
  TensorOptions device_index(DeviceIndex index) const {
    return device(Device(DeviceType::CUDA, index));
  }
  TensorOptions layout(Layout) const { return *this; }
  TensorOptions requires_grad(bool v = true) const {
    TensorOptions o = *this;
    o.o_.requires_grad = v;
    return o;
  }
  TensorOptions pinned_memory(bool v) const {
    TensorOptions o = *this;
    o.o_.pinned_memory = v;
    return o;
  }
  TensorOptions memory_format(std::optional<MemoryFormat> v) const {
    TensorOptions o = *this;
    leap::set(&o.o_, v);
    return o;
  }

  TensorOptions merge_in(const TensorOptions& o) const {
    return TensorOptions(leap::merge(o_, o.o_));
  }

  caffe2::TypeMeta dtype() const { return o_.dtype; }
  Device device() const { return o_.device; }
  bool requires_grad() const { return o_.requires_grad; }
  bool pinned_memory() const { return o_.pinned_memory; }
  bool has_dtype() const { return o_.has_dtype; }
  bool has_device() const { return o_.has_device; }
  std::optional<ScalarType> dtype_opt() const { return leap::asked_dtype(o_); }
  std::optional<Device> device_opt() const { return leap::asked_device(o_); }
  std::optional<MemoryFormat> memory_format_opt() const { return leap::asked_memory_format(o_); }
  const leap::Options& raw() const { return o_; }

 private:
  leap::Options o_;
};

inline TensorOptions dtype(ScalarType t) { return TensorOptions(t); }
inline TensorOptions dtype(caffe2::TypeMeta t) { return TensorOptions(t); }
template <typename T>
TensorOptions dtype() {
  return TensorOptions(CppTypeToScalarType<T>::value);
}
inline TensorOptions device(Device d) { return TensorOptions(d); }
inline TensorOptions layout(Layout l) { return TensorOptions(l); }
inline TensorOptions requires_grad(bool v = true) { return TensorOptions().requires_grad(v); }

}  // namespace c10
