// The C interface of cuBLAS's part in libleap_emulator.so; cublas_v2.h puts CUDA's names
// before it. Types are cudaDataType's numbers, results cublasStatus_t's.
#pragma once

#include "leap_emulator.h"

struct cublasContext;

#ifdef __cplusplus
extern "C" {
#endif

int leap_blas_create(struct cublasContext** handle);
int leap_blas_destroy(struct cublasContext* handle);
// torch's own handle, as at::cuda::getCurrentCUDABlasHandle() gives it.
struct cublasContext* leap_blas_current(void);
enum leap_blas_setting { LEAP_BLAS_POINTER_MODE, LEAP_BLAS_MATH_MODE, LEAP_BLAS_ATOMICS_MODE };
int leap_blas_set(struct cublasContext* handle, int setting, int value);
int leap_blas_get(struct cublasContext* handle, int setting, int* value);
int leap_blas_set_stream(struct cublasContext* handle, void* stream);
int leap_blas_get_stream(struct cublasContext* handle, void** stream);
const char* leap_blas_status_text(int status);
// Ends the call's judgement with UNSUPPORTED; `what` names it.
int leap_blas_unsupported(const char* what, struct leap_place at);

// Matrices of a batch: `stride` elements apart, or at the addresses that `p` lists.
struct leap_blas_matrix {
  const void* p;
  int type;
  long long leading;
  long long stride;
  int listed;
};

// C = alpha op(A) op(B) + beta C, column-major; op(A) is m x k, op(B) k x n.
struct leap_blas_product {
  const char* name;  // of the routine
  struct cublasContext* handle;
  int transpose_a, transpose_b, m, n, k;
  const void *alpha, *beta;
  struct leap_blas_matrix a, b, c;
  int count;    // of matrices in the batch
  int compute;  // cublasComputeType_t
};
int leap_blas_multiply(const struct leap_blas_product* product, struct leap_place at);

// C = alpha op(A) + beta op(B), all m x n.
int leap_blas_add(const struct leap_blas_product* sum, struct leap_place at);

enum leap_blas_operation {
  LEAP_BLAS_AXPY, LEAP_BLAS_SCAL, LEAP_BLAS_COPY, LEAP_BLAS_SWAP,
  LEAP_BLAS_DOT, LEAP_BLAS_NRM2, LEAP_BLAS_ASUM, LEAP_BLAS_IAMAX, LEAP_BLAS_IAMIN
};
struct leap_blas_vectors {
  const char* name;
  struct cublasContext* handle;
  int operation, type, n;
  const void *alpha, *x;
  int incx;
  const void* y;
  int incy;
  void* result;
};
int leap_blas_vector(const struct leap_blas_vectors* vectors, struct leap_place at);

#ifdef __cplusplus
}
#endif
