// c10::ArrayRef: a borrowed view of a contiguous array.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <initializer_list>
#include <optional>
#include <vector>

namespace leap {
[[noreturn]] void out_of_range(const char* what);  // throws std::out_of_range
}

namespace c10 {

template <typename T>
class ArrayRef {
 public:
  using value_type = T;
  using iterator = const T*;
  using const_iterator = const T*;
  using size_type = size_t;

  constexpr ArrayRef() : data_(nullptr), size_(0) {}
  constexpr ArrayRef(const T& one) : data_(&one), size_(1) {}
  constexpr ArrayRef(const T* data, size_t size) : data_(data), size_(size) {}
  constexpr ArrayRef(const T* first, const T* last) : data_(first), size_(last - first) {}
  template <typename A>
  ArrayRef(const std::vector<T, A>& v) : data_(v.data()), size_(v.size()) {}
  template <size_t N>
  constexpr ArrayRef(const T (&array)[N]) : data_(array), size_(N) {}
  // The list lives until the end of the full expression, as in torch.
  constexpr ArrayRef(const std::initializer_list<T>& list) : data_(nullptr), size_(list.size()) {
    data_ = list.begin();  // an initialiser would draw gcc's warning about just that
  }

  constexpr const T* begin() const { return data_; }
  constexpr const T* end() const { return data_ + size_; }
  constexpr const T* data() const { return data_; }
  constexpr size_t size() const { return size_; }
  constexpr bool empty() const { return size_ == 0; }
  constexpr const T& operator[](size_t i) const { return data_[i]; }
  const T& at(size_t i) const {
    if (i >= size_) leap::out_of_range("ArrayRef: invalid index");
    return data_[i];
  }
  const T& front() const { return at(0); }
  const T& back() const { return at(size_ - 1); }
  ArrayRef<T> slice(size_t start, size_t count) const {
    if (start + count > size_) leap::out_of_range("ArrayRef: invalid slice");
    return ArrayRef<T>(data_ + start, count);
  }
  ArrayRef<T> slice(size_t start) const { return slice(start, size_ - start); }
  std::vector<T> vec() const { return std::vector<T>(begin(), end()); }
  bool equals(ArrayRef<T> other) const {
    if (size_ != other.size_) return false;
    for (size_t i = 0; i < size_; ++i)
      if (!(data_[i] == other.data_[i])) return false;
    return true;
  }

 private:
  const T* data_;
  size_t size_;
};

template <typename T>
bool operator==(ArrayRef<T> a, ArrayRef<T> b) {
  return a.equals(b);
}
template <typename T>
bool operator!=(ArrayRef<T> a, ArrayRef<T> b) {
  return !a.equals(b);
}
template <typename T>
bool operator==(const std::vector<T>& a, ArrayRef<T> b) {
  return ArrayRef<T>(a).equals(b);
}
template <typename T>
bool operator==(ArrayRef<T> a, const std::vector<T>& b) {
  return a.equals(ArrayRef<T>(b));
}

using IntArrayRef = ArrayRef<int64_t>;

template <typename T>
using optional = std::optional<T>;
using std::nullopt;
using nullopt_t = std::nullopt_t;

// An optional IntArrayRef that also binds to one integer or a braced list.
class OptionalIntArrayRef {
 public:
  OptionalIntArrayRef() {}
  OptionalIntArrayRef(std::nullopt_t) {}
  OptionalIntArrayRef(IntArrayRef a) : value_(a), given_(true) {}
  template <typename A>
  OptionalIntArrayRef(const std::vector<int64_t, A>& v) : OptionalIntArrayRef(IntArrayRef(v)) {}
  OptionalIntArrayRef(const std::initializer_list<int64_t>& list)
      : value_(list), given_(true) {}
  OptionalIntArrayRef(const int64_t& one) : value_(one), given_(true) {}
  bool has_value() const { return given_; }
  IntArrayRef value() const { return value_; }

 private:
  IntArrayRef value_;
  bool given_ = false;
};

}  // namespace c10
