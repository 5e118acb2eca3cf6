// Metadata and creation of tensors.
#include <string>
#include <vector>

#include "placement.h"
#include "torch_abi.h"

namespace {

AtenTensorHandle aten(leap_tensor t) { return reinterpret_cast<AtenTensorHandle>(t); }

thread_local std::string last_error;
thread_local int last_kind = LEAP_RUNTIME_ERROR;

}  // namespace

extern "C" {

const char* leap_error(void) { return last_error.c_str(); }
int leap_last_error_kind(void) { return last_kind; }
void leap_set_error(int kind, const char* text) {
  last_kind = kind;
  last_error = text;
}

leap_tensor leap_tensor_retain(leap_tensor t) {
  if (t == nullptr) return nullptr;
  AtenTensorHandle copy = nullptr;
  aoti_torch_new_tensor_handle(aten(t), &copy);
  return reinterpret_cast<leap_tensor>(copy);
}
void leap_tensor_release(leap_tensor t) {
  if (t != nullptr) aoti_torch_delete_tensor_object(aten(t));
}
void* leap_tensor_data(leap_tensor t) {
  void* data = nullptr;
  aoti_torch_get_data_ptr(aten(t), &data);
  return data;
}
int64_t leap_tensor_dim(leap_tensor t) {
  int64_t dim = 0;
  aoti_torch_get_dim(aten(t), &dim);
  return dim;
}
int64_t leap_tensor_numel(leap_tensor t) {
  int64_t numel = 0;
  aoti_torch_get_numel(aten(t), &numel);
  return numel;
}
const int64_t* leap_tensor_sizes(leap_tensor t) {
  int64_t* sizes = nullptr;
  aoti_torch_get_sizes(aten(t), &sizes);
  return sizes;
}
const int64_t* leap_tensor_strides(leap_tensor t) {
  int64_t* strides = nullptr;
  aoti_torch_get_strides(aten(t), &strides);
  return strides;
}
int64_t leap_tensor_storage_offset(leap_tensor t) {
  int64_t offset = 0;
  aoti_torch_get_storage_offset(aten(t), &offset);
  return offset;
}
int leap_tensor_dtype(leap_tensor t) {
  int32_t dtype = -1;
  aoti_torch_get_dtype(aten(t), &dtype);
  return dtype;
}
void leap_tensor_device(leap_tensor t, int* type, int* index) { leap::device_of(t, type, index); }
int leap_tensor_is_contiguous(leap_tensor t) {
  bool contiguous = false;
  aoti_torch_is_contiguous(aten(t), &contiguous);
  return contiguous;
}
size_t leap_dtype_size(int dtype) { return aoti_torch_dtype_element_size(dtype); }

int leap_tensor_empty(const int64_t* sizes, int64_t dim, int dtype, int device_type,
                      int device_index, leap_tensor* result) {
  std::vector<int64_t> strides(static_cast<size_t>(dim), 1);
  bool valid = true;
  for (int64_t i = dim; i-- > 0;) {
    valid = valid && sizes[i] >= 0;
    if (i > 0) strides[i - 1] = strides[i] * (sizes[i] > 1 ? sizes[i] : 1);
  }
  if (valid)
    *result = leap::allocate(sizes, strides.data(), dim, dtype, device_type, device_index);
  if (*result != nullptr) return 0;
  // Torch says in its own words why it refuses; only memory is left if it does not.
  leap_value arguments[3] = {};
  arguments[0].kind = LEAP_INTS;
  arguments[0].ints = sizes;
  arguments[0].count = dim;
  arguments[1].kind = LEAP_DTYPE;
  arguments[1].integer = dtype;
  arguments[2].kind = LEAP_DEVICE;
  arguments[2].integer = device_type;
  arguments[2].count = device_index;
  const char* keywords[] = {"dtype", "device"};
  leap_value value{};
  const int status = leap_torch_call("empty", arguments, 3, keywords, 2, &value);
  *result = value.tensor;
  return status;
}

int leap_tensor_from_blob(void* data, const int64_t* sizes, const int64_t* strides, int64_t dim,
                          int dtype, int device_type, int device_index, leap_tensor* result) {
  AtenTensorHandle handle = nullptr;
  const int device = leap::torch_device(device_type);
  if (torch_from_blob(data, dim, sizes, strides, 0, dtype, device,
                      device == leap::kCpu ? -1 : device_index, &handle,
                      aoti_torch_layout_strided(), nullptr, 0, nullptr, nullptr) != 0) {
    leap_set_error(LEAP_RUNTIME_ERROR, "from_blob: torch refused the memory");
    return -1;
  }
  *result = reinterpret_cast<leap_tensor>(handle);
  return 0;
}

int leap_grad_mode(int enabled) {
  const bool before = aoti_torch_grad_mode_is_enabled();
  aoti_torch_grad_mode_set_enabled(enabled != 0);
  return before;
}

void* leap_blas_handle(void) { return leap::blas_handle(); }
void* leap_current_stream(int device_index) { return leap::current_stream(device_index); }

}  // extern "C"
