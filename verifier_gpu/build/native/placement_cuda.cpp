// Placement on a real GPU: torch's own devices and allocator.
#include "placement.h"
#include "torch_abi.h"

namespace leap {

static AtenTensorHandle aten(leap_tensor t) { return reinterpret_cast<AtenTensorHandle>(t); }

void device_of(leap_tensor t, int* type, int* index) {
  int32_t device_type = kCpu, device_index = -1;
  aoti_torch_get_device_type(aten(t), &device_type);
  aoti_torch_get_device_index(aten(t), &device_index);
  *type = device_type;
  *index = device_type == kCpu ? -1 : device_index;
}

int torch_device(int type) { return type; }

leap_tensor allocate(const int64_t* sizes, const int64_t* strides, int64_t dim, int dtype,
                     int device_type, int device_index) {
  AtenTensorHandle result = nullptr;
  if (aoti_torch_empty_strided(dim, sizes, strides, dtype, device_type, device_index, &result) != 0)
    return nullptr;
  return reinterpret_cast<leap_tensor>(result);
}

leap_tensor settle(leap_tensor t, int, bool) { return t; }

void* current_stream(int device_index) {
  void* stream = nullptr;
  if (aoti_torch_get_current_cuda_stream != nullptr)
    aoti_torch_get_current_cuda_stream(device_index, &stream);
  return stream;
}

void* blas_handle() {
  void* handle = nullptr;
  if (torch_get_current_cuda_blas_handle != nullptr) torch_get_current_cuda_blas_handle(&handle);
  return handle;
}

}  // namespace leap
