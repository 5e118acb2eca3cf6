// Torch's stable C interface, declared by hand. The only file that names a
// symbol of torch; no torch header is needed to build the runtime.
//
// Present in torch 2.11 and later (2.11 lacks the text of an error, which is
// why operations that may raise go through Python instead).
#pragma once

#include <stdint.h>

struct AtenTensorOpaque;
using AtenTensorHandle = AtenTensorOpaque*;

extern "C" {
int32_t aoti_torch_new_tensor_handle(AtenTensorHandle original, AtenTensorHandle* copy);
int32_t aoti_torch_delete_tensor_object(AtenTensorHandle tensor);
int32_t aoti_torch_get_data_ptr(AtenTensorHandle tensor, void** data);
int32_t aoti_torch_get_dim(AtenTensorHandle tensor, int64_t* dim);
int32_t aoti_torch_get_numel(AtenTensorHandle tensor, int64_t* numel);
int32_t aoti_torch_get_sizes(AtenTensorHandle tensor, int64_t** sizes);
int32_t aoti_torch_get_strides(AtenTensorHandle tensor, int64_t** strides);
int32_t aoti_torch_get_storage_offset(AtenTensorHandle tensor, int64_t* offset);
int32_t aoti_torch_get_dtype(AtenTensorHandle tensor, int32_t* dtype);
int32_t aoti_torch_get_device_type(AtenTensorHandle tensor, int32_t* type);
int32_t aoti_torch_get_device_index(AtenTensorHandle tensor, int32_t* index);
int32_t aoti_torch_is_contiguous(AtenTensorHandle tensor, bool* contiguous);
size_t aoti_torch_dtype_element_size(int32_t dtype);
int32_t aoti_torch_layout_strided(void);
int32_t aoti_torch_empty_strided(int64_t dim, const int64_t* sizes, const int64_t* strides,
                                 int32_t dtype, int32_t device_type, int32_t device_index,
                                 AtenTensorHandle* tensor);
bool aoti_torch_grad_mode_is_enabled(void);
void aoti_torch_grad_mode_set_enabled(bool enabled);
// Torch 2.11. The deleter runs when the last tensor over the memory goes.
int32_t torch_from_blob(void* data, int64_t dim, const int64_t* sizes, const int64_t* strides,
                        int64_t storage_offset, int32_t dtype, int32_t device_type,
                        int32_t device_index, AtenTensorHandle* tensor, int32_t layout,
                        const uint8_t* metadata, int64_t metadata_size,
                        void (*deleter)(void* data, void* context), void* context);
// Only where torch was built for CUDA.
__attribute__((weak)) int32_t torch_get_current_cuda_blas_handle(void** handle);
__attribute__((weak)) int32_t aoti_torch_get_current_cuda_stream(int32_t device, void** stream);
}

// Python functions below torch._C._aoti that move a tensor between Python and
// a handle, by way of a capsule.
inline constexpr const char* kHandleFromTensor = "_C._aoti.unsafe_alloc_void_ptr_from_tensor";
inline constexpr const char* kTensorsFromHandles =
    "_C._aoti.alloc_tensors_by_stealing_from_void_ptrs";
