// Where tensors live: CUDA's memory, or the emulated device's.
//
// One of placement_cuda.cpp and placement_emulated.cpp is linked.
#pragma once

#include "../headers/leap/abi.h"

namespace leap {

// Device types, with torch's numbering.
inline constexpr int kCpu = 0;
inline constexpr int kCuda = 1;

// The device that the submission sees.
void device_of(leap_tensor t, int* type, int* index);
// The device that torch is told when the submission names `type`.
int torch_device(int type);
// A new uninitialised tensor, or NULL when there is no memory.
leap_tensor allocate(const int64_t* sizes, const int64_t* strides, int64_t dim, int dtype,
                     int device_type, int device_index);
// Moves what torch returned to where the submission expects it: takes
// `t` and returns it, or a copy in the right memory. `device_type` is where the
// submission asked for it, or -1: where the arguments were (`near_device`).
leap_tensor settle(leap_tensor t, int device_type, bool near_device);
void* current_stream(int device_index);
void* blas_handle();

}  // namespace leap
