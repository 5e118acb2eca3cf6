// c10::TensorOptions.
#pragma once

#include "value.h"

namespace c10 {

class TensorOptions {
 public:
  TensorOptions() {}
  TensorOptions(ScalarType dtype) : dtype_(dtype) {}
  TensorOptions(caffe2::TypeMeta dtype) : dtype_(dtype.toScalarType()) {}
  TensorOptions(Device device) : device_(device) {}
  TensorOptions(DeviceType device) : device_(Device(device)) {}
  TensorOptions(Layout) {}
  TensorOptions(MemoryFormat format) : memory_format_(format) {}

  TensorOptions dtype(std::optional<ScalarType> v) const {
    TensorOptions o = *this;
    o.dtype_ = v;
    return o;
  }
  TensorOptions dtype(ScalarType v) const { return dtype(std::optional<ScalarType>(v)); }
  TensorOptions dtype(caffe2::TypeMeta v) const { return dtype(v.toScalarType()); }
  template <typename T>
  TensorOptions dtype() const {
    return dtype(CppTypeToScalarType<T>::value);
  }
  TensorOptions device(std::optional<Device> v) const {
    TensorOptions o = *this;
    o.device_ = v;
    return o;
  }
  TensorOptions device(Device v) const { return device(std::optional<Device>(v)); }
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
    o.requires_grad_ = v;
    return o;
  }
  TensorOptions pinned_memory(bool v) const {
    TensorOptions o = *this;
    o.pinned_memory_ = v;
    return o;
  }
  TensorOptions memory_format(std::optional<MemoryFormat> v) const {
    TensorOptions o = *this;
    o.memory_format_ = v;
    return o;
  }

  // These options, with those that `o` sets in their place.
  TensorOptions merge_in(const TensorOptions& o) const {
    TensorOptions merged = *this;
    if (o.dtype_) merged.dtype_ = o.dtype_;
    if (o.device_) merged.device_ = o.device_;
    if (o.memory_format_) merged.memory_format_ = o.memory_format_;
    return merged;
  }

  caffe2::TypeMeta dtype() const { return dtype_.value_or(ScalarType::Float); }
  Device device() const { return device_.value_or(Device(DeviceType::CPU)); }
  bool requires_grad() const { return requires_grad_; }
  bool pinned_memory() const { return pinned_memory_; }
  bool has_dtype() const { return dtype_.has_value(); }
  bool has_device() const { return device_.has_value(); }
  std::optional<ScalarType> dtype_opt() const { return dtype_; }
  std::optional<Device> device_opt() const { return device_; }
  std::optional<MemoryFormat> memory_format_opt() const { return memory_format_; }

 private:
  std::optional<ScalarType> dtype_;
  std::optional<Device> device_;
  std::optional<MemoryFormat> memory_format_;
  bool requires_grad_ = false;
  bool pinned_memory_ = false;
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
