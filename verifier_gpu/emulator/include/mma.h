// Tensor cores under CUDA's names: nvcuda::wmma, without its experimental types.
#pragma once

#include "leap_wmma.h"

namespace nvcuda {
namespace wmma {

struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
namespace precision {
using tf32 = ::leap_wmma::Tf32;
}
enum layout_t { mem_row_major, mem_col_major };

// Rounds to tf32's 10 bits of mantissa, halves away from zero.
static inline float __float_to_tf32(float x) {
  const unsigned bits = ::leap::same_bits<unsigned>(x);
  const bool finite = (bits & 0x7f800000u) != 0x7f800000u;
  return finite ? ::leap::same_bits<float>((bits + 0x1000u) & 0xffffe000u) : x;
}

template <class T, class U>
constexpr bool leap_same = __is_same(T, U);
template <class T, class... Others>
constexpr bool leap_one_of = (leap_same<T, Others> || ...);

// Whether the shape exists for factors of type T, and accumulators of type C for the shape.
template <class T>
constexpr bool leap_multiplies(int m, int n, int k) {
  if (leap_same<T, precision::tf32>) return m == 16 && n == 16 && k == 8;
  if (leap_same<T, double>) return m == 8 && n == 8 && k == 4;
  return leap_one_of<T, __half, __nv_bfloat16, signed char, unsigned char> && k == 16 &&
         ((m == 16 && n == 16) || (m == 32 && n == 8) || (m == 8 && n == 32));
}
template <class C>
constexpr bool leap_accumulates(int m, int n, int k) {
  if (leap_same<C, double>) return leap_multiplies<double>(m, n, k);
  return (leap_one_of<C, __half, float, int> && leap_multiplies<__half>(m, n, k)) ||
         (leap_same<C, float> && leap_multiplies<precision::tf32>(m, n, k));
}

template <class T, int count>
struct alignas(8) leap_fragment {
  enum { num_elements = count, num_storage_elements = count };
  typedef T element_type;
  typedef typename ::leap_wmma::Element<T>::Stored storage_element_type;
  storage_element_type x[num_storage_elements];
};

template <typename Use, int m, int n, int k, typename T, typename Layout = void>
class fragment;
// Lanes hold each factor of type half twice, as on GPUs.
template <int m, int n, int k, class T, class Layout>
class fragment<matrix_a, m, n, k, T, Layout>
    : public leap_fragment<T, leap_same<T, __half> ? 16 : m * k / 32> {
  static_assert(leap_multiplies<T>(m, n, k) && leap_one_of<Layout, row_major, col_major>,
                "there is no such fragment");
};
template <int m, int n, int k, class T, class Layout>
class fragment<matrix_b, m, n, k, T, Layout>
    : public leap_fragment<T, leap_same<T, __half> ? 16 : k * n / 32> {
  static_assert(leap_multiplies<T>(m, n, k) && leap_one_of<Layout, row_major, col_major>,
                "there is no such fragment");
};
template <int m, int n, int k, class T>
class fragment<accumulator, m, n, k, T> : public leap_fragment<T, m * n / 32> {
  static_assert(leap_accumulates<T>(m, n, k), "there is no such fragment");
};

template <class T, int count>
inline void fill_fragment(leap_fragment<T, count>& f,
                          const typename ::leap_wmma::Element<T>::Stored& value) {
  for (int i = 0; i < count; ++i) f.x[i] = value;
}

template <int m, int n, int k, class T, class Layout>
inline void load_matrix_sync(fragment<matrix_a, m, n, k, T, Layout>& a,
                             const typename ::leap_wmma::Element<T>::Stored* p, unsigned ldm,
                             leap_place at = LEAP_HERE) {
  using Held = ::leap_wmma::Part<m, k>;
  ::leap_wmma::load<Held>(a.x, a.num_elements, p, ldm, leap_same<Layout, row_major>, at);
}
template <int m, int n, int k, class T, class Layout>
inline void load_matrix_sync(fragment<matrix_b, m, n, k, T, Layout>& b,
                             const typename ::leap_wmma::Element<T>::Stored* p, unsigned ldm,
                             leap_place at = LEAP_HERE) {
  using Held = ::leap_wmma::Part<k, n, true>;
  ::leap_wmma::load<Held>(b.x, b.num_elements, p, ldm, leap_same<Layout, row_major>, at);
}
template <int m, int n, int k, class T>
inline void load_matrix_sync(fragment<accumulator, m, n, k, T>& c,
                             const typename ::leap_wmma::Element<T>::Stored* p, unsigned ldm,
                             layout_t layout, leap_place at = LEAP_HERE) {
  using Held = ::leap_wmma::Part<m, n>;
  ::leap_wmma::load<Held>(c.x, c.num_elements, p, ldm, layout == mem_row_major, at);
}
template <int m, int n, int k, class T>
inline void store_matrix_sync(typename ::leap_wmma::Element<T>::Stored* p,
                              const fragment<accumulator, m, n, k, T>& c, unsigned ldm,
                              layout_t layout, leap_place at = LEAP_HERE) {
  ::leap_wmma::store<::leap_wmma::Part<m, n>>(p, c.x, ldm, layout == mem_row_major, at);
}

template <int m, int n, int k, class T, class Rows, class Columns, class C, class D>
inline void leap_multiply(fragment<accumulator, m, n, k, D>& d,
                          const fragment<matrix_a, m, n, k, T, Rows>& a,
                          const fragment<matrix_b, m, n, k, T, Columns>& b,
                          const fragment<accumulator, m, n, k, C>& c, bool saturate,
                          leap_place at) {
  constexpr bool halves = leap_same<T, __half>;
  constexpr bool bytes = leap_one_of<T, signed char, unsigned char>;
  using Result = decltype(halves ? 0.0f : typename ::leap_wmma::Sum<T>::type());
  static_assert(halves  ? leap_one_of<C, __half, float> && leap_one_of<D, __half, float>
                : bytes ? leap_same<C, int> && leap_same<D, int>
                        : leap_same<C, Result> && leap_same<D, Result>,
                "there is no such product");
  using Product = ::leap_wmma::Product<m, n, k, T, C, D>;
  Product mine{{Product::multiply}, d.x, a.x, b.x, c.x, saturate};
  leap_warp(LEAP_WARP_MEET, 0xffffffffu, reinterpret_cast<uint64_t>(&mine), 0, 32, at);
}
template <int m, int n, int k, class T, class Rows, class Columns, class C, class D>
inline void mma_sync(fragment<accumulator, m, n, k, D>& d,
                     const fragment<matrix_a, m, n, k, T, Rows>& a,
                     const fragment<matrix_b, m, n, k, T, Columns>& b,
                     const fragment<accumulator, m, n, k, C>& c, leap_place at = LEAP_HERE) {
  leap_multiply(d, a, b, c, false, at);
}
// Of 8-bit integers, with sums that stop at int's ends instead of wrapping, if told so.
template <int m, int n, int k, class T, class Rows, class Columns>
inline void mma_sync(fragment<accumulator, m, n, k, int>& d,
                     const fragment<matrix_a, m, n, k, T, Rows>& a,
                     const fragment<matrix_b, m, n, k, T, Columns>& b,
                     const fragment<accumulator, m, n, k, int>& c, bool saturate,
                     leap_place at = LEAP_HERE) {
  leap_multiply(d, a, b, c, saturate, at);
}

}  // namespace wmma
}  // namespace nvcuda
