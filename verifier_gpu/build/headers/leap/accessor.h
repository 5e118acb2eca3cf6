// Tensor accessors: pointers with sizes and strides, indexed on host or device.
#pragma once

#include <stddef.h>
#include <stdint.h>

#if defined(__CUDACC__)
#define LEAP_HOST_DEVICE __host__ __device__
#else
#define LEAP_HOST_DEVICE
#endif

#define C10_HOST_DEVICE LEAP_HOST_DEVICE
#if defined(__CUDACC__)
#define C10_HOST __host__
#define C10_DEVICE __device__
#else
#define C10_HOST
#define C10_DEVICE
#endif
#define C10_WARP_SIZE 32
#define C10_ALWAYS_INLINE __attribute__((__always_inline__)) inline
#define C10_LIKELY(condition) __builtin_expect(static_cast<bool>(condition), 1)
#define C10_UNLIKELY(condition) __builtin_expect(static_cast<bool>(condition), 0)

namespace c10 {

template <typename T>
struct DefaultPtrTraits {
  typedef T* PtrType;
};
template <typename T>
struct RestrictPtrTraits {
  typedef T* __restrict__ PtrType;
};

namespace detail {
// Sizes and strides are borrowed: from the tensor on the host, from the packed
// accessor on the device.
template <typename T, size_t N, template <typename> class Traits, typename Index>
class Accessor {
 public:
  typedef typename Traits<T>::PtrType PtrType;
  LEAP_HOST_DEVICE Accessor(PtrType data, const Index* sizes, const Index* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  LEAP_HOST_DEVICE Accessor<T, N - 1, Traits, Index> operator[](Index i) const {
    return Accessor<T, N - 1, Traits, Index>(data_ + strides_[0] * i, sizes_ + 1, strides_ + 1);
  }
  LEAP_HOST_DEVICE Index size(Index i) const { return sizes_[i]; }
  LEAP_HOST_DEVICE Index stride(Index i) const { return strides_[i]; }
  LEAP_HOST_DEVICE PtrType data() const { return data_; }

 private:
  PtrType data_;
  const Index* sizes_;
  const Index* strides_;
};

template <typename T, template <typename> class Traits, typename Index>
class Accessor<T, 1, Traits, Index> {
 public:
  typedef typename Traits<T>::PtrType PtrType;
  LEAP_HOST_DEVICE Accessor(PtrType data, const Index* sizes, const Index* strides)
      : data_(data), sizes_(sizes), strides_(strides) {}
  LEAP_HOST_DEVICE T& operator[](Index i) const { return data_[strides_[0] * i]; }
  LEAP_HOST_DEVICE Index size(Index i) const { return sizes_[i]; }
  LEAP_HOST_DEVICE Index stride(Index i) const { return strides_[i]; }
  LEAP_HOST_DEVICE PtrType data() const { return data_; }

 private:
  PtrType data_;
  const Index* sizes_;
  const Index* strides_;
};
}  // namespace detail

}  // namespace c10

namespace at {
using c10::DefaultPtrTraits;
using c10::RestrictPtrTraits;

template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits,
          typename Index = int64_t>
using TensorAccessor = c10::detail::Accessor<T, N, Traits, Index>;

// Passed to kernels by value.
template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits,
          typename Index = int64_t>
class GenericPackedTensorAccessor {
 public:
  typedef typename Traits<T>::PtrType PtrType;
  LEAP_HOST_DEVICE GenericPackedTensorAccessor(PtrType data, const int64_t* sizes,
                                               const int64_t* strides)
      : data_(data) {
    for (size_t i = 0; i < N; ++i) {
      sizes_[i] = static_cast<Index>(sizes[i]);
      strides_[i] = static_cast<Index>(strides[i]);
    }
  }
  LEAP_HOST_DEVICE decltype(auto) operator[](Index i) const {
    return c10::detail::Accessor<T, N, Traits, Index>(data_, sizes_, strides_)[i];
  }
  LEAP_HOST_DEVICE Index size(Index i) const { return sizes_[i]; }
  LEAP_HOST_DEVICE Index stride(Index i) const { return strides_[i]; }
  LEAP_HOST_DEVICE PtrType data() const { return data_; }

 private:
  PtrType data_;
  Index sizes_[N];
  Index strides_[N];
};
template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor32 = GenericPackedTensorAccessor<T, N, Traits, int32_t>;
template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits>
using PackedTensorAccessor64 = GenericPackedTensorAccessor<T, N, Traits, int64_t>;
template <typename T, size_t N, template <typename> class Traits = DefaultPtrTraits,
          typename Index = int64_t>
using PackedTensorAccessor = GenericPackedTensorAccessor<T, N, Traits, Index>;

}  // namespace at
