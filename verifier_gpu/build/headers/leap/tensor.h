// at::Tensor over the runtime's C interface.
//
// What reads metadata is one call of the library; what may raise goes through torch's
// dispatcher by name, so that errors have torch's own text. No member is a
// template unless torch's is: a submission pays only for what it uses.
#pragma once

#include "accessor.h"
#include "error.h"
#include "options.h"

namespace leap {
[[noreturn]] void undefined_tensor();
[[noreturn]] void too_large_for_accessor();
// Metadata of a tensor that has to be defined.
int64_t dim(leap_tensor t);
int64_t size(leap_tensor t, int64_t dimension);
int64_t stride(leap_tensor t, int64_t dimension);
c10::IntArrayRef sizes(leap_tensor t);
c10::IntArrayRef strides(leap_tensor t);
c10::Device device(leap_tensor t);
// The device of a tensor that is defined.
std::optional<c10::Device> device_of(const at::Tensor& t);
Options options(leap_tensor t);
void* data(leap_tensor t);
void* data(leap_tensor t, c10::ScalarType expected);
void expect_dim(leap_tensor t, int64_t dimensions);
// `t` itself where nothing changes and no copy is asked for.
at::Tensor to(const at::Tensor& t, const Options& o, bool copy);
}  // namespace leap

namespace at {

using ScalarTypeOpt = std::optional<ScalarType>;

class Tensor {
 public:
  Tensor() = default;
  Tensor(const Tensor& o) : handle_(leap_tensor_retain(o.handle_)) {}
  Tensor(Tensor&& o) noexcept : handle_(o.handle_) { o.handle_ = nullptr; }
  Tensor& operator=(const Tensor& o) & {
    leap_tensor old = handle_;
    handle_ = leap_tensor_retain(o.handle_);
    leap_tensor_release(old);
    return *this;
  }
  Tensor& operator=(Tensor&& o) & noexcept {
    leap_tensor mine = handle_;
    handle_ = o.handle_;
    o.handle_ = mine;
    return *this;
  }
  ~Tensor() { leap_tensor_release(handle_); }
  static Tensor adopt(leap_tensor handle) {
    Tensor t;
    t.handle_ = handle;
    return t;
  }
  leap_tensor handle() const { return handle_; }
  leap_tensor give_up() {
    leap_tensor h = handle_;
    handle_ = nullptr;
    return h;
  }

  // ---- Metadata ----
  bool defined() const { return handle_ != nullptr; }
  void reset() { *this = Tensor(); }
  bool is_same(const Tensor& o) const { return handle_ == o.handle_ || data_ptr() == o.data_ptr(); }
  int64_t dim() const { return leap::dim(handle_); }
  int64_t ndimension() const { return dim(); }
  int64_t numel() const { return handle_ ? leap_tensor_numel(handle_) : 0; }
  int64_t size(int64_t d) const { return leap::size(handle_, d); }
  int64_t stride(int64_t d) const { return leap::stride(handle_, d); }
  IntArrayRef sizes() const { return leap::sizes(handle_); }
  IntArrayRef strides() const { return leap::strides(handle_); }
  int64_t storage_offset() const { return leap_tensor_storage_offset(need()); }
  size_t itemsize() const { return leap_dtype_size(leap_tensor_dtype(need())); }
  size_t element_size() const { return itemsize(); }
  size_t nbytes() const { return itemsize() * static_cast<size_t>(numel()); }
  ScalarType scalar_type() const {
    return handle_ ? static_cast<ScalarType>(leap_tensor_dtype(handle_)) : ScalarType::Undefined;
  }
  caffe2::TypeMeta dtype() const { return caffe2::TypeMeta(scalar_type()); }
  // Deprecated in torch, and still written.
  struct Type {
    const Tensor* tensor;
    bool is_cuda() const { return tensor->is_cuda(); }
    ScalarType scalarType() const { return tensor->scalar_type(); }
  };
  Type type() const { return Type{this}; }
  Device device() const { return leap::device(handle_); }
  int64_t get_device() const { return device().index(); }
  bool is_cuda() const { return handle_ && device().is_cuda(); }
  bool is_cpu() const { return handle_ && device().is_cpu(); }
  bool is_sparse() const { return false; }
  Layout layout() const { return Layout::Strided; }
  bool is_floating_point() const { return isFloatingType(scalar_type()); }
  bool is_complex() const { return isComplexType(scalar_type()); }
  bool is_contiguous() const { return leap_tensor_is_contiguous(need()) != 0; }
  bool is_contiguous(MemoryFormat f) const {
    if (f == MemoryFormat::Contiguous) return is_contiguous();
    return leap::call_bool("Tensor.is_contiguous", {*this}, {{"memory_format", f}});
  }
  bool is_non_overlapping_and_dense() const { return is_contiguous(); }
  TensorOptions options() const { return TensorOptions(leap::options(handle_)); }
  MemoryFormat suggest_memory_format() const {
    if (dim() == 4 && !is_contiguous() && is_contiguous(MemoryFormat::ChannelsLast))
      return MemoryFormat::ChannelsLast;
    return MemoryFormat::Contiguous;
  }
  bool requires_grad() const { return leap::call_bool("Tensor.requires_grad.__get__", {*this}); }
  Tensor& set_requires_grad(bool) { return *this; }

  // ---- Data ----
  void* data_ptr() const { return leap::data(handle_); }
  void* mutable_data_ptr() const { return data_ptr(); }
  const void* const_data_ptr() const { return data_ptr(); }
  template <typename T>
  T* data_ptr() const {
    return static_cast<T*>(leap::data(handle_, CppTypeToScalarType<std::remove_const_t<T>>::value));
  }
  template <typename T>
  T* mutable_data_ptr() const {
    return data_ptr<T>();
  }
  template <typename T>
  const std::remove_const_t<T>* const_data_ptr() const {
    return data_ptr<std::remove_const_t<T>>();
  }
  template <typename T>
  T* data() const {
    return data_ptr<T>();
  }
  template <typename T, size_t N>
  TensorAccessor<T, N> accessor() const {
    leap::expect_dim(handle_, static_cast<int64_t>(N));
    return TensorAccessor<T, N>(data_ptr<T>(), sizes().data(), strides().data());
  }
  template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits,
            typename Index = int64_t>
  GenericPackedTensorAccessor<T, N, Traits, Index> generic_packed_accessor() const {
    leap::expect_dim(handle_, static_cast<int64_t>(N));
    return {data_ptr<T>(), sizes().data(), strides().data()};
  }
  template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits>
  PackedTensorAccessor32<T, N, Traits> packed_accessor32() const {
    if (numel() > INT32_MAX) leap::too_large_for_accessor();
    return generic_packed_accessor<T, N, Traits, int32_t>();
  }
  template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits>
  PackedTensorAccessor64<T, N, Traits> packed_accessor64() const {
    return generic_packed_accessor<T, N, Traits, int64_t>();
  }
  template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits,
            typename Index = int64_t>
  GenericPackedTensorAccessor<T, N, Traits, Index> packed_accessor() const {
    return generic_packed_accessor<T, N, Traits, Index>();
  }
  Scalar item() const { return leap::call_scalar("Tensor.item", {*this}); }
  template <typename T>
  T item() const {
    return item().template to<T>();
  }

#include "tensor_methods.h"

 private:
  leap_tensor need() const {
    if (__builtin_expect(handle_ == nullptr, 0)) leap::undefined_tensor();
    return handle_;
  }

  leap_tensor handle_ = nullptr;
};

using TensorList = ArrayRef<Tensor>;

}  // namespace at
