// cuBLAS: operations on vectors. Sums are taken in double and rounded once.

#include <math.h>

#include "blas.h"
#include "launch.h"

using namespace leap;
using namespace leap::blas;

namespace {

// A vector as a matrix, of one row unless it is contiguous; a negative increment counts
// from its end.
Matrix vector_of(const char* name, const void* p, int type, int n, int increment) {
  if (increment == 1) return {name, static_cast<const char*>(p), type, n, n ? 1 : 0, n};
  return {name, static_cast<const char*>(p), type, 1, n, increment < 0 ? -increment : increment};
}

struct Elements {
  char* first;
  int64_t step;
  int type;
  Elements(const Matrix& v, int64_t n, int increment)
      : first(const_cast<char*>(v.p)), step(increment * static_cast<int64_t>(size_of(v.type))), type(v.type) {
    if (increment < 0) first -= (n - 1) * step;
  }
  double operator[](int64_t i) const { return read(first + i * step, type); }
  void set(int64_t i, double value) const { write(first + i * step, type, value); }
};

double reduce(int operation, const Elements& x, const Elements& y, int64_t n) {
  double sum = 0;
  int64_t best = 0;
  for (int64_t i = 0; i < n; ++i) {
    switch (operation) {
      case LEAP_BLAS_DOT: sum += x[i] * y[i]; break;
      case LEAP_BLAS_NRM2: sum += x[i] * x[i]; break;
      case LEAP_BLAS_ASUM: sum += fabs(x[i]); break;
      case LEAP_BLAS_IAMAX: if (fabs(x[i]) > fabs(x[best])) best = i; break;
      default: if (fabs(x[i]) < fabs(x[best])) best = i; break;
    }
  }
  if (operation == LEAP_BLAS_NRM2) return sqrt(sum);
  return operation >= LEAP_BLAS_IAMAX ? static_cast<double>(n > 0 ? best + 1 : 0) : sum;
}

void update(int operation, double alpha, const Elements& x, const Elements& y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    const double old = x[i];
    switch (operation) {
      case LEAP_BLAS_AXPY: y.set(i, alpha * old + y[i]); break;
      case LEAP_BLAS_SCAL: x.set(i, alpha * old); break;
      case LEAP_BLAS_SWAP: x.set(i, y[i]); y.set(i, old); break;
      default: y.set(i, old); break;
    }
  }
}

}  // namespace

extern "C" int leap_blas_vector(const leap_blas_vectors* vectors, leap_place at) {
  const leap_blas_vectors& v = *vectors;
  if (int status = begin(v.handle)) return status;
  const Routine routine{v.name, v.handle, at};
  const bool reduces = v.operation >= LEAP_BLAS_DOT, indexes = v.operation >= LEAP_BLAS_IAMAX;
  const bool scales = v.operation == LEAP_BLAS_AXPY || v.operation == LEAP_BLAS_SCAL;
  const int n = v.n > 0 ? v.n : 0;
  if ((reduces && !v.result) || (scales && !v.alpha)) return blas::kInvalidValue;
  // Of one vector, increments that are not positive make it empty.
  const bool alone = !v.y;
  const int count = alone && v.incx <= 0 ? 0 : n;
  if (!count && !reduces) return kSuccess;
  count_library_call(v.name);
  double alpha = 0;
  if (scales && !read_scalar(routine, "alpha", v.alpha, v.type, &alpha)) return kSuccess;
  const Matrix x = vector_of("x", v.x, v.type, count, v.incx), y = vector_of("y", v.y, v.type, count, v.incy);
  const bool writes_x = v.operation == LEAP_BLAS_SCAL || v.operation == LEAP_BLAS_SWAP;
  Footprint footprint(routine);
  if (!(writes_x ? footprint.write(x) : footprint.read(x))) return kSuccess;
  if (!alone && !(reduces ? footprint.read(y) : footprint.write(y))) return kSuccess;
  // An increment of 0, or x and y in one place, where something is written.
  if (!reduces && !footprint.disjoint()) return kSuccess;
  const Elements xs(x, count, v.incx), ys(y, count, v.incy);
  if (!reduces) {
    update(v.operation, alpha, xs, ys, count);
    return kSuccess;
  }
  const double result = reduce(v.operation, xs, ys, count);
  char bytes[8];
  const int index = static_cast<int>(result);
  if (!indexes) write(bytes, v.type, result);
  write_scalar(routine, v.result, indexes ? static_cast<const void*>(&index) : bytes,
               indexes ? sizeof index : size_of(v.type));
  return kSuccess;
}
