// What stands behind mma.h: the warp's lanes meet, and one of them works for all.
//
// Which element of a matrix a lane holds is unspecified in CUDA. Here a matrix is cut
// into blocks of 8 x 8, taken down its columns of blocks; of each, lane l holds row l / 4
// and the columns 2 (l % 4) and 2 (l % 4) + 1, as accumulators of 16 x 16 lie on sm_80
// and later. The second operand of a product is cut so transposed.
//
// A product adds to c, for k = 0, 1, 2, ..., the exact products a[i][k] b[k][j], each sum
// rounded to float (double for double); accumulators of half are rounded once at the end.
#pragma once

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace leap_wmma {

// Of a matrix of `rows` x `columns`, what a lane holds; of its transpose, if `turned`.
template <int rows, int columns, bool turned = false>
struct Part {
  static constexpr int size = rows * columns / 32;
  LEAP_PLAIN static constexpr int down(unsigned lane, int i) {
    constexpr int blocks = (turned ? columns : rows) / 8;
    return static_cast<int>(lane) / 4 + 8 * (i / 2 % blocks);
  }
  LEAP_PLAIN static constexpr int across(unsigned lane, int i) {
    constexpr int blocks = (turned ? columns : rows) / 8;
    const int in_block = static_cast<int>(lane) % 4;
    return size == 1 ? in_block : 2 * in_block + i % 2 + 8 * (i / 2 / blocks);
  }
  LEAP_PLAIN static constexpr int row(unsigned lane, int i) {
    return turned ? across(lane, i) : down(lane, i);
  }
  LEAP_PLAIN static constexpr int column(unsigned lane, int i) {
    return turned ? down(lane, i) : across(lane, i);
  }
};

// How the elements of a fragment are kept, and what they are worth in a product.
struct Tf32;  // a float of which the upper 19 bits count

template <class T>
struct Element {
  using Stored = T;
  LEAP_PLAIN static T value(T x) { return x; }
  template <class Sum>
  LEAP_PLAIN static T rounded(Sum x) { return static_cast<T>(x); }
};
template <>
struct Element<__half> {
  using Stored = __half;
  LEAP_PLAIN static float value(__half x) { return leap::widen<5, 10>(x.leap_bits); }
  LEAP_PLAIN static __half rounded(float x) { return __half::from(x); }
};
template <>
struct Element<__nv_bfloat16> {
  using Stored = __nv_bfloat16;
  LEAP_PLAIN static float value(__nv_bfloat16 x) { return leap::widen<8, 7>(x.leap_bits); }
};
template <>
struct Element<Tf32> {
  using Stored = float;
  LEAP_PLAIN static float value(float x) {
    return leap::same_bits<float>(leap::same_bits<unsigned>(x) & 0xffffe000u);
  }
};

// What products are summed in, by the type of the factors.
template <class T> struct Sum { using type = float; };
template <> struct Sum<double> { using type = double; };
template <> struct Sum<signed char> { using type = long long; };
template <> struct Sum<unsigned char> { using type = long long; };

// The elements of a matrix that one lane holds.
template <class T, bool turned, class S, int rows, int columns>
LEAP_PLAIN inline void gather(S (&matrix)[rows][columns], unsigned lane,
                              const typename Element<T>::Stored* x) {
  using Held = Part<rows, columns, turned>;
  for (int i = 0; i < Held::size; ++i) {
    matrix[Held::row(lane, i)][Held::column(lane, i)] = Element<T>::value(x[i]);
  }
}

// One lane's part in d = a b + c, with a of m x k and b of k x n elements of type T.
template <int m, int n, int k, class T, class C, class D>
struct Product {
  leap_meeting meeting;  // first, so that its address is the whole one's
  D* d;
  const typename Element<T>::Stored *a, *b;
  const C* c;
  bool saturate;

  LEAP_PLAIN static void multiply(leap_meeting* const* lanes) {
    using Held = Part<m, n>;
    typename Sum<T>::type a[m][k], b[k][n], sum[m][n];
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto* one = reinterpret_cast<const Product*>(lanes[lane]);
      gather<T, false>(a, lane, one->a);
      gather<T, true>(b, lane, one->b);
      gather<C, false>(sum, lane, one->c);
    }
    for (int row = 0; row < m; ++row) {
      for (int i = 0; i < k; ++i) {
        for (int column = 0; column < n; ++column) sum[row][column] += a[row][i] * b[i][column];
      }
    }
    for (unsigned lane = 0; lane < 32; ++lane) {
      const auto* one = reinterpret_cast<const Product*>(lanes[lane]);
      for (int i = 0; i < Held::size; ++i) {
        auto& exact = sum[Held::row(lane, i)][Held::column(lane, i)];
        if (one->saturate && exact > INT_MAX) exact = INT_MAX;
        if (one->saturate && exact < INT_MIN) exact = INT_MIN;
        one->d[i] = Element<D>::rounded(exact);
      }
    }
  }
};

// x[0 .. count) of this lane from memory; what goes beyond its part of the matrix repeats it.
template <class Held, class T>
LEAP_PLAIN inline void load(T* x, int count, const T* p, unsigned ldm, bool row_major,
                            leap_place at) {
  const unsigned lane = leap_meet_at_matrix(p, ldm, row_major, sizeof(T), at);
  for (int i = 0; i < count; ++i) {
    const size_t row = Held::row(lane, i % Held::size), column = Held::column(lane, i % Held::size);
    const T* from = p + (row_major ? row * ldm + column : column * ldm + row);
    if (i < Held::size) leap_access(from, sizeof(T), /*write=*/0, at);
    __builtin_memcpy(&x[i], from, sizeof(T));
  }
}

template <class Held, class T>
LEAP_PLAIN inline void store(T* p, const T* x, unsigned ldm, bool row_major, leap_place at) {
  const unsigned lane = leap_meet_at_matrix(p, ldm, row_major, sizeof(T), at);
  for (int i = 0; i < Held::size; ++i) {
    const size_t row = Held::row(lane, i), column = Held::column(lane, i);
    T* to = p + (row_major ? row * ldm + column : column * ldm + row);
    leap_access(to, sizeof(T), /*write=*/1, at);
    __builtin_memcpy(to, &x[i], sizeof(T));
  }
}

}  // namespace leap_wmma
