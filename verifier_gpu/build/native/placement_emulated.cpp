// Placement on the emulated device. To torch every tensor is a CPU tensor; to
// the submission a tensor is on the device when its memory is the emulator's.
//
// Device memory is guarded and poisoned, so results of torch's operations are
// copied into it: a kernel may read them and is caught when it leaves them.
#include <string.h>

#include "../../emulator/include/leap_blas.h"
#include "../../emulator/include/leap_emulator.h"
#include "placement.h"
#include "torch_abi.h"

namespace leap {

static AtenTensorHandle aten(leap_tensor t) { return reinterpret_cast<AtenTensorHandle>(t); }

// An empty tensor has no memory; it counts as on the device.
static bool on_device(leap_tensor t) {
  void* data = nullptr;
  aoti_torch_get_data_ptr(aten(t), &data);
  return data == nullptr || leap_tensor_numel(t) == 0 || leap_is_device_pointer(data) == 1;
}

void device_of(leap_tensor t, int* type, int* index) {
  const bool device = on_device(t);
  *type = device ? kCuda : kCpu;
  *index = device ? 0 : -1;
}

int torch_device(int) { return kCpu; }

static void free_device(void* data, void*) { leap_device_free(data); }

// Bytes from the first to behind the last element.
static size_t extent(const int64_t* sizes, const int64_t* strides, int64_t dim, int dtype) {
  int64_t last = 0;
  for (int64_t i = 0; i < dim; ++i) {
    if (sizes[i] == 0) return 0;
    last += (sizes[i] - 1) * strides[i];
  }
  return static_cast<size_t>(last + 1) * leap_dtype_size(dtype);
}

leap_tensor allocate(const int64_t* sizes, const int64_t* strides, int64_t dim, int dtype,
                     int device_type, int) {
  AtenTensorHandle result = nullptr;
  const size_t nbytes = extent(sizes, strides, dim, dtype);
  if (device_type != kCuda || nbytes == 0) {
    aoti_torch_empty_strided(dim, sizes, strides, dtype, kCpu, -1, &result);
    return reinterpret_cast<leap_tensor>(result);
  }
  void* data = leap_device_alloc(nbytes);
  if (data == nullptr) return nullptr;
  if (torch_from_blob(data, dim, sizes, strides, 0, dtype, kCpu, -1, &result,
                      aoti_torch_layout_strided(), nullptr, 0, free_device, nullptr) != 0) {
    leap_device_free(data);
    return nullptr;
  }
  return reinterpret_cast<leap_tensor>(result);
}

leap_tensor settle(leap_tensor t, int device_type, bool near_device) {
  const bool wanted = device_type == kCuda || (device_type < 0 && near_device);
  if (wanted == on_device(t) || leap_tensor_numel(t) == 0) return t;
  const int64_t dim = leap_tensor_dim(t);
  const int64_t* sizes = leap_tensor_sizes(t);
  const int64_t* strides = leap_tensor_strides(t);
  const int dtype = leap_tensor_dtype(t);
  leap_tensor copy = allocate(sizes, strides, dim, dtype, wanted ? kCuda : kCpu, -1);
  if (copy != nullptr)
    memcpy(leap_tensor_data(copy), leap_tensor_data(t), extent(sizes, strides, dim, dtype));
  leap_tensor_release(t);
  return copy;
}

void* current_stream(int) { return nullptr; }
void* blas_handle() { return leap_blas_current(); }

}  // namespace leap
