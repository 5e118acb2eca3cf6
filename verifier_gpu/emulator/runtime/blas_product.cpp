// cuBLAS: products and sums of matrices, single or in batches.
//
// Sums go over k = 0, 1, 2, ... in float, or double for double. Where the type to compute
// in is half, they are rounded to half after every 16 products, about as tensor cores do;
// where TF32 or a 16-bit format is allowed for speed, the factors are rounded to it.

#include <string.h>

#include <string>
#include <vector>

#include "blas.h"
#include "launch.h"

namespace leap {
namespace blas {
namespace {

constexpr int kTile = 32;  // columns of the result that are summed side by side
constexpr int kHalfSteps = 16;

using Rounding = float (*)(float);
float exact(float x) { return x; }
float to_half(float x) { return widen<5, 10>(narrow<5, 10>(x)); }
float to_bfloat16(float x) { return widen<8, 7>(narrow<8, 7>(x)); }
float to_tf32(float x) {
  const uint32_t bits = same_bits<uint32_t>(x);
  return (bits & 0x7f800000u) == 0x7f800000u ? x : same_bits<float>((bits + 0x1000u) & 0xffffe000u);
}

enum Compute { k16F = 64, k32F = 68, k64F = 70, kFast16F = 74, kFast16BF = 75, kFastTF32 = 77 };

// Row i of op(matrix), count elements, `step` apart in the output.
template <class T>
void copy_row(const Matrix& x, bool transposed, int64_t i, int64_t count, Rounding rounded, T* out,
              int64_t step) {
  for (int64_t j = 0; j < count; ++j) {
    const char* p = transposed ? x.column(i) + j * static_cast<int64_t>(size_of(x.type))
                               : x.column(j) + i * static_cast<int64_t>(size_of(x.type));
    const double value = read(p, x.type);
    out[j * step] = sizeof(T) == 8 ? static_cast<T>(value)
                                   : static_cast<T>(rounded(static_cast<float>(value)));
  }
}

struct Job {
  Matrix a, b, c;
  bool transpose_a, transpose_b;
  int m, n, k;
  double alpha, beta;
  Rounding rounded;
  bool half_sums;
};

template <class T>
void multiply(const Job& job) {
  const int k = job.k;
  std::vector<T> row(static_cast<size_t>(k) + 1);
  std::vector<T> tile(static_cast<size_t>(k) * kTile + 1);  // of op(B): [k][kTile]
  for (int j0 = 0; j0 < job.n; j0 += kTile) {
    const int width = job.n - j0 < kTile ? job.n - j0 : kTile;
    for (int j = 0; j < kTile; ++j) {  // column j0 + j of op(B) is a row of its transpose
      if (j < width) copy_row(job.b, !job.transpose_b, j0 + j, k, job.rounded, &tile[j], kTile);
      else for (int l = 0; l < k; ++l) tile[static_cast<size_t>(l) * kTile + j] = 0;
    }
    for (int i = 0; i < job.m; ++i) {
      copy_row(job.a, job.transpose_a, i, k, job.rounded, row.data(), 1);
      T sums[kTile] = {};
      for (int l = 0; l < k; ++l) {
        const T x = row[l];
        const T* y = &tile[static_cast<size_t>(l) * kTile];
        for (int j = 0; j < kTile; ++j) sums[j] += x * y[j];
        if (job.half_sums && (l % kHalfSteps == kHalfSteps - 1 || l == k - 1)) {
          for (int j = 0; j < kTile; ++j) sums[j] = to_half(static_cast<float>(sums[j]));
        }
      }
      for (int j = 0; j < width; ++j) {
        char* p = const_cast<char*>(job.c.column(j0 + j)) + i * static_cast<int64_t>(size_of(job.c.type));
        T value = static_cast<T>(job.alpha) * sums[j];
        if (job.beta != 0) value += static_cast<T>(job.beta) * static_cast<T>(read(p, job.c.type));
        write(p, job.c.type, value);
      }
    }
  }
}

// The i-th matrix of a batch.
Matrix matrix_of(const char* name, const leap_blas_matrix& m, int64_t rows, int64_t columns, int i) {
  const char* p = static_cast<const char*>(m.p);
  if (m.listed) memcpy(&p, p + 8 * i, 8);
  else p += i * m.stride * static_cast<int64_t>(size_of(m.type));
  return {name, p, m.type, rows, columns, m.leading};
}

// Lists of addresses lie in device memory too.
bool lists_readable(const Routine& routine, const leap_blas_product& x) {
  Footprint lists(routine);
  const char* names[] = {"the list of A's addresses", "the list of B's addresses", "the list of C's addresses"};
  const leap_blas_matrix* all[] = {&x.a, &x.b, &x.c};
  for (int i = 0; i < 3; ++i) {
    const Matrix list{names[i], static_cast<const char*>(all[i]->p), kDouble, x.count, 1, x.count};
    if (all[i]->listed && !lists.read(list)) return false;
  }
  return true;
}

bool computes_in(int compute, int pedantic_of) { return compute == pedantic_of || compute == pedantic_of + 1; }

// kSuccess if cuBLAS takes these types and we compute with them.
int check_types(const leap_blas_product& x, leap_place at) {
  const int a = x.a.type, b = x.b.type, c = x.c.type;
  if (!size_of(a) || !size_of(b) || !size_of(c)) {
    return leap_blas_unsupported("a product of integer, complex or 8-bit types", at);
  }
  const bool fits = a != b                         ? false
                    : computes_in(x.compute, k64F) ? a == kDouble && c == kDouble
                    : computes_in(x.compute, k16F) ? a == kHalf && c == kHalf
                    : x.compute >= kFast16F        ? a == kFloat && c == kFloat
                    : computes_in(x.compute, k32F) ? a != kDouble && (c == kFloat || c == a)
                                                   : false;
  return fits ? kSuccess : kNotSupported;
}

int scalar_type(int compute) {
  return computes_in(compute, k64F) ? kDouble : computes_in(compute, k16F) ? kHalf : kFloat;
}

Rounding rounding_of(const leap_blas_product& x) {
  const int mode = x.handle->settings[LEAP_BLAS_MATH_MODE];
  if (x.a.type != kFloat) return exact;
  if (x.compute == kFastTF32 || (x.compute == k32F && mode == 3)) return to_tf32;
  if (x.compute == kFast16F || (x.compute == k32F && mode == 1)) return to_half;
  return x.compute == kFast16BF ? to_bfloat16 : exact;
}

bool short_leading(const leap_blas_matrix& m, int rows) { return m.leading < (rows > 1 ? rows : 1); }

}  // namespace
}  // namespace blas
}  // namespace leap

using namespace leap;
using namespace leap::blas;

extern "C" int leap_blas_multiply(const leap_blas_product* product, leap_place at) {
  const leap_blas_product& x = *product;
  if (int status = begin(x.handle)) return status;
  const bool ta = x.transpose_a != 0, tb = x.transpose_b != 0;
  const int rows_a = ta ? x.k : x.m, rows_b = tb ? x.n : x.k;
  if (x.m < 0 || x.n < 0 || x.k < 0 || x.count < 0 || x.transpose_a > 2u || x.transpose_b > 2u ||
      short_leading(x.a, rows_a) || short_leading(x.b, rows_b) || short_leading(x.c, x.m)) {
    return blas::kInvalidValue;
  }
  if (int status = check_types(x, at)) return status;
  if (!x.m || !x.n || !x.count) return kSuccess;
  if (!x.alpha || !x.beta) return blas::kInvalidValue;

  count_library_call(x.name);
  const Routine routine{x.name, x.handle, at};
  const int scalar = scalar_type(x.compute);
  double alpha, beta;
  if (!read_scalar(routine, "alpha", x.alpha, scalar, &alpha) ||
      !read_scalar(routine, "beta", x.beta, scalar, &beta) || !lists_readable(routine, x)) {
    return kSuccess;  // like a kernel, it was launched; the fault is recorded
  }
  std::vector<Job> jobs;
  Footprint footprint(routine);
  for (int i = 0; i < x.count; ++i) {
    jobs.push_back({matrix_of("A", x.a, rows_a, ta ? x.m : x.k, i),
                    matrix_of("B", x.b, rows_b, tb ? x.k : x.n, i),
                    matrix_of("C", x.c, x.m, x.n, i), ta, tb, x.m, x.n, x.k, alpha, beta,
                    rounding_of(x), scalar == kHalf});
    const Job& job = jobs.back();
    if (!footprint.read(job.a) || !footprint.read(job.b) || !footprint.write(job.c)) return kSuccess;
  }
  if (!footprint.disjoint()) return kSuccess;
  for (const Job& job : jobs) scalar == kDouble ? multiply<double>(job) : multiply<float>(job);
  return kSuccess;
}

extern "C" int leap_blas_add(const leap_blas_product* sum, leap_place at) {
  const leap_blas_product& x = *sum;
  if (int status = begin(x.handle)) return status;
  const bool ta = x.transpose_a != 0, tb = x.transpose_b != 0;
  if (x.m < 0 || x.n < 0 || short_leading(x.a, ta ? x.n : x.m) || short_leading(x.b, tb ? x.n : x.m) ||
      short_leading(x.c, x.m) || !x.alpha || !x.beta) {
    return blas::kInvalidValue;
  }
  if (!x.m || !x.n) return kSuccess;
  count_library_call(x.name);
  const Routine routine{x.name, x.handle, at};
  const int type = x.c.type;
  double alpha, beta;
  if (!read_scalar(routine, "alpha", x.alpha, type, &alpha) ||
      !read_scalar(routine, "beta", x.beta, type, &beta)) {
    return kSuccess;
  }
  const Matrix a = matrix_of("A", x.a, ta ? x.n : x.m, ta ? x.m : x.n, 0);
  const Matrix b = matrix_of("B", x.b, tb ? x.n : x.m, tb ? x.m : x.n, 0);
  const Matrix c = matrix_of("C", x.c, x.m, x.n, 0);
  // In place is allowed where C is A or B as it stands; a factor of 0 leaves its matrix unread.
  const auto same = [&](const Matrix& y, bool t) { return y.p == c.p && y.leading == c.leading && !t; };
  Footprint footprint(routine);
  if (!footprint.write(c) || (alpha != 0 && !same(a, ta) && !footprint.read(a)) ||
      (beta != 0 && !same(b, tb) && !footprint.read(b)) || !footprint.disjoint()) {
    return kSuccess;
  }
  const int64_t size = static_cast<int64_t>(size_of(type));
  const auto element = [&](const Matrix& y, bool t, int64_t i, int64_t j) {
    return read(t ? y.column(i) + j * size : y.column(j) + i * size, type);
  };
  for (int64_t j = 0; j < x.n; ++j) {
    for (int64_t i = 0; i < x.m; ++i) {
      const double value = (alpha != 0 ? alpha * element(a, ta, i, j) : 0) +
                           (beta != 0 ? beta * element(b, tb, i, j) : 0);
      write(const_cast<char*>(c.column(j)) + i * size, type, value);
    }
  }
  return kSuccess;
}
