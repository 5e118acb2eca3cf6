// What the parts of the emulated cuBLAS share: handles, scalars, and checked operands.
//
// A routine runs at once. Like a kernel's, its wrong access to memory is a fault of the
// call, and CUDA's error afterwards; the routine itself has been accepted.
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "../include/leap_blas.h"
#include "../include/leap_narrow.h"

struct cublasContext {
  void* stream;
  int settings[3];  // by leap_blas_setting
};

namespace leap {
namespace blas {

enum Status { kSuccess = 0, kNotInitialized = 1, kInvalidValue = 7, kExecutionFailed = 13, kNotSupported = 15 };
enum Type { kFloat = 0, kDouble = 1, kHalf = 2, kBfloat16 = 14 };  // cudaDataType's numbers

size_t size_of(int type);
double read(const void* p, int type);
void write(void* p, int type, double value);

// Whether the handle is one of ours, and nothing went wrong before: the status otherwise.
int begin(const cublasContext* handle);

struct Routine {
  const char* name;
  const cublasContext* handle;
  leap_place at;
};

// alpha and beta, from where the handle's pointer mode says; false after recording a fault.
bool read_scalar(const Routine& routine, const char* name, const void* p, int type, double* value);
bool write_scalar(const Routine& routine, void* p, const void* value, size_t nbytes);

// A column-major matrix in memory.
struct Matrix {
  const char* name;
  const char* p;
  int type;
  int64_t rows, columns, leading;
  const char* column(int64_t j) const { return p + j * leading * static_cast<int64_t>(size_of(type)); }
};

// What a routine reads and writes, column by column.
class Footprint {
 public:
  explicit Footprint(const Routine& routine) : routine_(routine) {}
  ~Footprint();
  Footprint(const Footprint&) = delete;
  // False, after recording a fault, where the matrix leaves live device memory.
  bool read(const Matrix& matrix) { return add(matrix, "reads", false); }
  bool write(const Matrix& matrix) { return add(matrix, "writes", true); }
  // False, after recording a race, if something is written that is also read, or written twice.
  bool disjoint();

 private:
  struct Range {
    const char *start, *end, *name;
    bool written;
  };
  bool add(const Matrix& matrix, const char* verb, bool written);
  Routine routine_;
  Range* ranges_ = nullptr;
  size_t count_ = 0, room_ = 0;
};

}  // namespace blas
}  // namespace leap
