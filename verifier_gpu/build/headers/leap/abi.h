// The C interface of libleap_torch.so: what a submission compiled against the
// slim headers calls, and how its functions are bound to Python.
//
// Everything is extern "C" and plain data, so that one prebuilt library serves
// every submission and none of them parses a torch or Python header.
#pragma once

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(default)
extern "C" {

// A torch tensor (torch's AtenTensorHandle): one owned reference, or NULL for
// an undefined tensor.
typedef struct leap_tensor_opaque* leap_tensor;

enum leap_kind {
  LEAP_NONE,
  LEAP_BOOL,           // integer
  LEAP_INT,            // integer
  LEAP_FLOAT,          // real
  LEAP_STRING,         // text, `count` bytes
  LEAP_TENSOR,         // tensor
  LEAP_INTS,           // ints, `count` of them, borrowed
  LEAP_LIST,           // items, `count` of them
  LEAP_TUPLE,          // items, `count` of them
  LEAP_DTYPE,          // integer: a c10::ScalarType
  LEAP_DEVICE,         // integer: a c10::DeviceType; `count` is the index, -1 for none
  LEAP_MEMORY_FORMAT,  // integer: a c10::MemoryFormat
  LEAP_CHARACTER,      // integer: a char; in messages only
};

struct leap_value {
  int32_t kind;
  int64_t count;
  union {
    int64_t integer;
    double real;
    const char* text;
    leap_tensor tensor;
    const int64_t* ints;
    struct leap_value* items;
  };
};

// ---- Tensors: never raise ---------------------------------------------------
leap_tensor leap_tensor_retain(leap_tensor t);
void leap_tensor_release(leap_tensor t);
void* leap_tensor_data(leap_tensor t);
int64_t leap_tensor_dim(leap_tensor t);
int64_t leap_tensor_numel(leap_tensor t);
const int64_t* leap_tensor_sizes(leap_tensor t);
const int64_t* leap_tensor_strides(leap_tensor t);
int64_t leap_tensor_storage_offset(leap_tensor t);
int leap_tensor_dtype(leap_tensor t);
void leap_tensor_device(leap_tensor t, int* type, int* index);
int leap_tensor_is_contiguous(leap_tensor t);
size_t leap_dtype_size(int dtype);

// ---- Operations: 0, or -1 with leap_error() set ------------------------------
// A new uninitialised tensor (on the emulated device: guarded and poisoned).
int leap_tensor_empty(const int64_t* sizes, int64_t dim, int dtype, int device_type,
                      int device_index, leap_tensor* result);
// A tensor over memory that the caller owns.
int leap_tensor_from_blob(void* data, const int64_t* sizes, const int64_t* strides, int64_t dim,
                          int dtype, int device_type, int device_index, leap_tensor* result);
// Calls `name`, a path below the Python module torch ("Tensor.sum", "cat").
// The last `keyword_count` arguments go by the names in `keywords`.
int leap_torch_call(const char* name, const leap_value* arguments, int64_t count,
                    const char* const* keywords, int64_t keyword_count, leap_value* result);
void* leap_current_stream(int device_index);
// Torch's cuBLAS handle for the current device and stream, or NULL.
void* leap_blas_handle(void);
// Sets whether gradients are recorded on this thread; returns what was set before.
int leap_grad_mode(int enabled);

// The Python exception that an error becomes.
enum leap_error_kind {
  LEAP_RUNTIME_ERROR,
  LEAP_INDEX_ERROR,
  LEAP_VALUE_ERROR,
  LEAP_TYPE_ERROR,
  LEAP_NOT_IMPLEMENTED_ERROR,
  LEAP_OVERFLOW_ERROR,
  LEAP_MEMORY_ERROR,
  LEAP_DEVICE_MEMORY_ERROR,  // torch.OutOfMemoryError
};
// The calling thread's last error.
const char* leap_error(void);
int leap_last_error_kind(void);
void leap_set_error(int kind, const char* text);

// ---- Values ------------------------------------------------------------------
// `items` of a LIST or TUPLE, all NONE.
leap_value* leap_value_items(int64_t count);
// A copy of `count` bytes for a STRING that leaves the submission.
const char* leap_value_text(const char* text, int64_t count);
// Releases what the value owns: tensor, text, items, recursively.
void leap_value_release(leap_value* value);

// ---- Binding -----------------------------------------------------------------
// Types are written as
//   T tensor · i 32-bit, l 64-bit, h 16-bit, c 8-bit integer (capital: unsigned)
//   f float · b bool · s string · S scalar · D dtype · V device
//   ?X optional · [X list · (XY) tuple · v nothing
struct leap_function {
  const char* name;
  const char* doc;
  const char* const* parameters;  // one type each, ended by NULL
  const char* result;            // one type
  const char* const* names;      // of the parameters, or of none of them
  int64_t name_count;
  const leap_value* defaults;    // for the last `default_count` parameters
  int64_t default_count;
  void (*target)(void);
  // Calls `target`; C++ exceptions pass.
  void (*invoke)(void (*target)(void), const leap_value* arguments, leap_value* result);
};
// Adds the function to `module` (a Python module object).
void leap_define(void* module, const leap_function* function);

}  // extern "C"
#pragma GCC visibility pop
