// cuBLAS under its own names, as far as submissions use it; runtime/blas*.cpp computes.
#pragma once

#include <stdint.h>

#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "leap_blas.h"
#include "library_types.h"

#define CUBLAS_VER_MAJOR 13
#define CUBLAS_VER_MINOR 0
#define CUBLAS_VERSION 130000

typedef enum {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
} cublasStatus_t;
typedef enum { CUBLAS_OP_N = 0, CUBLAS_OP_T = 1, CUBLAS_OP_C = 2 } cublasOperation_t;
typedef enum { CUBLAS_POINTER_MODE_HOST = 0, CUBLAS_POINTER_MODE_DEVICE = 1 } cublasPointerMode_t;
typedef enum { CUBLAS_ATOMICS_NOT_ALLOWED = 0, CUBLAS_ATOMICS_ALLOWED = 1 } cublasAtomicsMode_t;
typedef enum {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
} cublasMath_t;
typedef enum {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
} cublasComputeType_t;
typedef enum {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
  CUBLAS_GEMM_ALGO0 = 0,
  CUBLAS_GEMM_ALGO1 = 1,
  CUBLAS_GEMM_ALGO2 = 2,
  CUBLAS_GEMM_ALGO3 = 3,
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
  CUBLAS_GEMM_ALGO0_TENSOR_OP = 100
} cublasGemmAlgo_t;
typedef struct cublasContext* cublasHandle_t;

static inline cublasStatus_t leap_status(int status) { return static_cast<cublasStatus_t>(status); }

// ---- Handles ------------------------------------------------------------------
static inline cublasStatus_t cublasCreate(cublasHandle_t* handle) {
  return leap_status(leap_blas_create(handle));
}
static inline cublasStatus_t cublasDestroy(cublasHandle_t handle) {
  return leap_status(leap_blas_destroy(handle));
}
static inline cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream) {
  return leap_status(leap_blas_set_stream(handle, stream));
}
static inline cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t* stream) {
  return leap_status(leap_blas_get_stream(handle, reinterpret_cast<void**>(stream)));
}
#define LEAP_SETTING(Name, type, number)                                              \
  static inline cublasStatus_t cublasSet##Name(cublasHandle_t handle, type value) {   \
    return leap_status(leap_blas_set(handle, number, value));                         \
  }                                                                                   \
  static inline cublasStatus_t cublasGet##Name(cublasHandle_t handle, type* value) {  \
    int found = 0;                                                                    \
    const int status = leap_blas_get(handle, number, &found);                         \
    if (status == 0) *value = static_cast<type>(found);                               \
    return leap_status(status);                                                       \
  }
LEAP_SETTING(PointerMode, cublasPointerMode_t, LEAP_BLAS_POINTER_MODE)
LEAP_SETTING(MathMode, cublasMath_t, LEAP_BLAS_MATH_MODE)
LEAP_SETTING(AtomicsMode, cublasAtomicsMode_t, LEAP_BLAS_ATOMICS_MODE)
#undef LEAP_SETTING
static inline cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void*, size_t) {
  return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}
static inline const char* cublasGetStatusName(cublasStatus_t status) {
  return leap_blas_status_text(status);
}
static inline const char* cublasGetStatusString(cublasStatus_t status) {
  return leap_blas_status_text(status);
}

// ---- Products of matrices -------------------------------------------------------
#define LEAP_SIZES cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n, int k
#define LEAP_MULTIPLY(A, B, C, count, compute)                                                    \
  const leap_blas_product product{__func__, handle, ta, tb, m, n, k, alpha, beta, A, B, C, count, \
                                  compute};                                                       \
  return leap_status(leap_blas_multiply(&product, at));

#define LEAP_GEMM(letter, T, type, compute)                                                       \
  static inline cublasStatus_t cublas##letter##gemm(                                              \
      LEAP_SIZES, const T* alpha, const T* A, int lda, const T* B, int ldb, const T* beta, T* C,  \
      int ldc, leap_place at = LEAP_HERE) {                                                       \
    LEAP_MULTIPLY((leap_blas_matrix{A, type, lda, 0, 0}), (leap_blas_matrix{B, type, ldb, 0, 0}), \
                  (leap_blas_matrix{C, type, ldc, 0, 0}), 1, compute)                             \
  }                                                                                               \
  static inline cublasStatus_t cublas##letter##gemmStridedBatched(                                \
      LEAP_SIZES, const T* alpha, const T* A, int lda, long long int stride_a, const T* B,        \
      int ldb, long long int stride_b, const T* beta, T* C, int ldc, long long int stride_c,      \
      int count, leap_place at = LEAP_HERE) {                                                     \
    LEAP_MULTIPLY((leap_blas_matrix{A, type, lda, stride_a, 0}),                                  \
                  (leap_blas_matrix{B, type, ldb, stride_b, 0}),                                  \
                  (leap_blas_matrix{C, type, ldc, stride_c, 0}), count, compute)                  \
  }                                                                                               \
  static inline cublasStatus_t cublas##letter##gemmBatched(                                       \
      LEAP_SIZES, const T* alpha, const T* const A[], int lda, const T* const B[], int ldb,       \
      const T* beta, T* const C[], int ldc, int count, leap_place at = LEAP_HERE) {               \
    LEAP_MULTIPLY((leap_blas_matrix{A, type, lda, 0, 1}), (leap_blas_matrix{B, type, ldb, 0, 1}), \
                  (leap_blas_matrix{C, type, ldc, 0, 1}), count, compute)                         \
  }
LEAP_GEMM(S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
LEAP_GEMM(D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
LEAP_GEMM(H, __half, CUDA_R_16F, CUBLAS_COMPUTE_16F)
#undef LEAP_GEMM

// The forms that name their types. A cudaDataType as the type to compute in is an older form.
static inline cublasComputeType_t leap_compute(cublasComputeType_t type) { return type; }
static inline cublasComputeType_t leap_compute(cudaDataType type) {
  return type == CUDA_R_16F   ? CUBLAS_COMPUTE_16F
         : type == CUDA_R_64F ? CUBLAS_COMPUTE_64F
         : type == CUDA_R_32I ? CUBLAS_COMPUTE_32I
                              : CUBLAS_COMPUTE_32F;
}
#define LEAP_GEMM_EX(Compute)                                                                     \
  static inline cublasStatus_t cublasGemmEx(                                                      \
      LEAP_SIZES, const void* alpha, const void* A, cudaDataType type_a, int lda, const void* B,  \
      cudaDataType type_b, int ldb, const void* beta, void* C, cudaDataType type_c, int ldc,      \
      Compute compute, cublasGemmAlgo_t, leap_place at = LEAP_HERE) {                             \
    LEAP_MULTIPLY((leap_blas_matrix{A, type_a, lda, 0, 0}),                                       \
                  (leap_blas_matrix{B, type_b, ldb, 0, 0}),                                       \
                  (leap_blas_matrix{C, type_c, ldc, 0, 0}), 1, leap_compute(compute))             \
  }                                                                                               \
  static inline cublasStatus_t cublasGemmStridedBatchedEx(                                        \
      LEAP_SIZES, const void* alpha, const void* A, cudaDataType type_a, int lda,                 \
      long long int stride_a, const void* B, cudaDataType type_b, int ldb,                        \
      long long int stride_b, const void* beta, void* C, cudaDataType type_c, int ldc,            \
      long long int stride_c, int count, Compute compute, cublasGemmAlgo_t,                       \
      leap_place at = LEAP_HERE) {                                                                \
    LEAP_MULTIPLY((leap_blas_matrix{A, type_a, lda, stride_a, 0}),                                \
                  (leap_blas_matrix{B, type_b, ldb, stride_b, 0}),                                \
                  (leap_blas_matrix{C, type_c, ldc, stride_c, 0}), count, leap_compute(compute))  \
  }                                                                                               \
  static inline cublasStatus_t cublasGemmBatchedEx(                                               \
      LEAP_SIZES, const void* alpha, const void* const A[], cudaDataType type_a, int lda,         \
      const void* const B[], cudaDataType type_b, int ldb, const void* beta, void* const C[],     \
      cudaDataType type_c, int ldc, int count, Compute compute, cublasGemmAlgo_t,                 \
      leap_place at = LEAP_HERE) {                                                                \
    LEAP_MULTIPLY((leap_blas_matrix{A, type_a, lda, 0, 1}),                                       \
                  (leap_blas_matrix{B, type_b, ldb, 0, 1}),                                       \
                  (leap_blas_matrix{C, type_c, ldc, 0, 1}), count, leap_compute(compute))         \
  }
LEAP_GEMM_EX(cublasComputeType_t)
LEAP_GEMM_EX(cudaDataType)
#undef LEAP_GEMM_EX

// ---- Vectors, and sums of matrices ------------------------------------------------
// A vector is a matrix of one row whose leading dimension is the increment:
// y = alpha op(A) x + beta y is, transposed, a product of one row.
#define LEAP_VECTORS(letter, T, type, compute)                                                    \
  static inline cublasStatus_t cublas##letter##gemv(                                              \
      cublasHandle_t handle, cublasOperation_t trans, int rows, int columns, const T* alpha,      \
      const T* A, int lda, const T* x, int incx, const T* beta, T* y, int incy,                   \
      leap_place at = LEAP_HERE) {                                                                \
    if (rows < 0 || columns < 0 || lda < (rows > 1 ? rows : 1)) return CUBLAS_STATUS_INVALID_VALUE; \
    if (incx == 0 || incy == 0) return CUBLAS_STATUS_INVALID_VALUE;                               \
    if (incx < 0 || incy < 0) return leap_status(leap_blas_unsupported("a negative increment", at)); \
    if (rows == 0 || columns == 0) return CUBLAS_STATUS_SUCCESS;                                  \
    const auto ta = CUBLAS_OP_N, tb = trans == CUBLAS_OP_N ? CUBLAS_OP_T : CUBLAS_OP_N;           \
    const int m = 1, n = trans == CUBLAS_OP_N ? rows : columns;                                   \
    const int k = trans == CUBLAS_OP_N ? columns : rows;                                          \
    LEAP_MULTIPLY((leap_blas_matrix{x, type, incx, 0, 0}), (leap_blas_matrix{A, type, lda, 0, 0}), \
                  (leap_blas_matrix{y, type, incy, 0, 0}), 1, compute)                            \
  }                                                                                               \
  static inline cublasStatus_t cublas##letter##geam(                                              \
      cublasHandle_t handle, cublasOperation_t ta, cublasOperation_t tb, int m, int n,            \
      const T* alpha, const T* A, int lda, const T* beta, const T* B, int ldb, T* C, int ldc,     \
      leap_place at = LEAP_HERE) {                                                                \
    const leap_blas_product sum{__func__, handle, ta, tb, m, n, 0, alpha, beta,                   \
                                {A, type, lda, 0, 0}, {B, type, ldb, 0, 0}, {C, type, ldc, 0, 0}, \
                                1, compute};                                                      \
    return leap_status(leap_blas_add(&sum, at));                                                  \
  }                                                                                               \
  static inline cublasStatus_t cublas##letter##axpy(cublasHandle_t handle, int n, const T* alpha, \
                                                    const T* x, int incx, T* y, int incy,         \
                                                    leap_place at = LEAP_HERE) {                  \
    LEAP_VECTOR_CALL(AXPY, type, alpha, x, incx, y, incy, nullptr)                                \
  }                                                                                               \
  static inline cublasStatus_t cublas##letter##scal(cublasHandle_t handle, int n, const T* alpha, \
                                                    T* x, int incx, leap_place at = LEAP_HERE) {  \
    LEAP_VECTOR_CALL(SCAL, type, alpha, x, incx, nullptr, 1, nullptr)                             \
  }                                                                                               \
  static inline cublasStatus_t cublas##letter##copy(cublasHandle_t handle, int n, const T* x,     \
                                                    int incx, T* y, int incy,                     \
                                                    leap_place at = LEAP_HERE) {                  \
    LEAP_VECTOR_CALL(COPY, type, nullptr, x, incx, y, incy, nullptr)                              \
  }                                                                                               \
  static inline cublasStatus_t cublas##letter##swap(cublasHandle_t handle, int n, T* x, int incx, \
                                                    T* y, int incy, leap_place at = LEAP_HERE) {  \
    LEAP_VECTOR_CALL(SWAP, type, nullptr, x, incx, y, incy, nullptr)                              \
  }                                                                                               \
  static inline cublasStatus_t cublas##letter##dot(cublasHandle_t handle, int n, const T* x,      \
                                                   int incx, const T* y, int incy, T* result,     \
                                                   leap_place at = LEAP_HERE) {                   \
    LEAP_VECTOR_CALL(DOT, type, nullptr, x, incx, y, incy, result)                                \
  }                                                                                               \
  LEAP_REDUCTION(letter##nrm2, T, T, type, NRM2)                                                  \
  LEAP_REDUCTION(letter##asum, T, T, type, ASUM)
#define LEAP_REDUCTION(name, T, Result, type, operation)                                          \
  static inline cublasStatus_t cublas##name(cublasHandle_t handle, int n, const T* x, int incx,   \
                                            Result* result, leap_place at = LEAP_HERE) {          \
    LEAP_VECTOR_CALL(operation, type, nullptr, x, incx, nullptr, 1, result)                       \
  }
#define LEAP_VECTOR_CALL(operation, type, alpha, x, incx, y, incy, result)                        \
  const leap_blas_vectors call{__func__, handle, LEAP_BLAS_##operation, type, n, alpha, x, incx,  \
                               y, incy, result};                                                  \
  return leap_status(leap_blas_vector(&call, at));
LEAP_VECTORS(S, float, CUDA_R_32F, CUBLAS_COMPUTE_32F)
LEAP_VECTORS(D, double, CUDA_R_64F, CUBLAS_COMPUTE_64F)
LEAP_REDUCTION(Isamax, float, int, CUDA_R_32F, IAMAX)
LEAP_REDUCTION(Idamax, double, int, CUDA_R_64F, IAMAX)
LEAP_REDUCTION(Isamin, float, int, CUDA_R_32F, IAMIN)
LEAP_REDUCTION(Idamin, double, int, CUDA_R_64F, IAMIN)
#undef LEAP_VECTORS
#undef LEAP_REDUCTION
#undef LEAP_VECTOR_CALL
#undef LEAP_MULTIPLY
#undef LEAP_SIZES
