// Streams, device guards and error checks of torch's CUDA headers.
#pragma once

#include <cuda_runtime.h>

#include "tensor.h"

namespace leap {
[[noreturn]] void cuda_failed(const char* error);
}

namespace c10::cuda {

class CUDAStream {
 public:
  explicit CUDAStream(cudaStream_t stream, DeviceIndex device) : stream_(stream), device_(device) {}
  operator cudaStream_t() const { return stream_; }
  cudaStream_t stream() const { return stream_; }
  DeviceIndex device_index() const { return device_; }
  Device device() const { return Device(DeviceType::CUDA, device_); }
  void synchronize() const { cudaStreamSynchronize(stream_); }

 private:
  cudaStream_t stream_;
  DeviceIndex device_;
};

inline DeviceIndex current_device() {
  int device = 0;
  cudaGetDevice(&device);
  return static_cast<DeviceIndex>(device);
}
inline CUDAStream getCurrentCUDAStream(DeviceIndex device = -1) {
  if (device < 0) device = current_device();
  return CUDAStream(static_cast<cudaStream_t>(leap_current_stream(device)), device);
}
inline CUDAStream getDefaultCUDAStream(DeviceIndex device = -1) {
  return CUDAStream(nullptr, device < 0 ? current_device() : device);
}
inline DeviceIndex device_count() {
  int count = 0;
  cudaGetDeviceCount(&count);
  return static_cast<DeviceIndex>(count);
}
inline void stream_synchronize(cudaStream_t stream) { cudaStreamSynchronize(stream); }
inline void device_synchronize() { cudaDeviceSynchronize(); }

// Makes a device current until the end of the scope.
class CUDAGuard {
 public:
  explicit CUDAGuard(DeviceIndex index) : old_(current_device()) { set_index(index); }
  explicit CUDAGuard(Device device) : CUDAGuard(device.index()) {}
  CUDAGuard(const CUDAGuard&) = delete;
  CUDAGuard& operator=(const CUDAGuard&) = delete;
  ~CUDAGuard() {
    if (current_device() != old_) cudaSetDevice(old_);
  }
  void set_index(DeviceIndex index) {
    if (index >= 0 && index != current_device()) cudaSetDevice(index);
  }

 private:
  DeviceIndex old_;
};

class OptionalCUDAGuard {
 public:
  OptionalCUDAGuard() : guard_(-1) {}
  explicit OptionalCUDAGuard(std::optional<Device> device) : guard_(leap::index_of(device)) {}
  explicit OptionalCUDAGuard(Device device) : guard_(device) {}
  explicit OptionalCUDAGuard(DeviceIndex index) : guard_(index) {}
  void set_device(Device device) { guard_.set_index(device.index()); }

 private:
  CUDAGuard guard_;
};

inline void check_status(cudaError_t status) {
  if (__builtin_expect(status != cudaSuccess, 0)) leap::cuda_failed(cudaGetErrorString(status));
}

}  // namespace c10::cuda

struct cublasContext;  // as cublas_v2.h declares it

namespace at {
inline std::optional<Device> device_of(const Tensor& t) { return leap::device_of(t); }
using DeviceGuard = c10::cuda::CUDAGuard;
using OptionalDeviceGuard = c10::cuda::OptionalCUDAGuard;
}  // namespace at

namespace at::cuda {
using c10::cuda::CUDAGuard;
using c10::cuda::CUDAStream;
using c10::cuda::current_device;
using c10::cuda::device_count;
using c10::cuda::getCurrentCUDAStream;
using c10::cuda::getDefaultCUDAStream;
using c10::cuda::OptionalCUDAGuard;
using c10::cuda::stream_synchronize;
inline int warp_size() { return 32; }
inline cublasContext* getCurrentCUDABlasHandle() {
  auto* handle = static_cast<cublasContext*>(leap_blas_handle());
  if (handle == nullptr) leap::cuda_failed("torch has no cuBLAS handle for this device");
  return handle;
}
inline const cudaDeviceProp* getCurrentDeviceProperties() {
  static const cudaDeviceProp properties = [] {
    cudaDeviceProp p;
    c10::cuda::check_status(cudaGetDeviceProperties(&p, c10::cuda::current_device()));
    return p;
  }();
  return &properties;
}
}  // namespace at::cuda

namespace c10 {
using cuda::CUDAGuard;
}

namespace torch::cuda {
inline void synchronize(int64_t = -1) { c10::cuda::check_status(cudaDeviceSynchronize()); }
inline bool is_available() { return true; }
inline size_t device_count() { return static_cast<size_t>(c10::cuda::device_count()); }
}  // namespace torch::cuda

#define TORCH_CUDABLAS_CHECK(...)                                                 \
  do {                                                                            \
    if (static_cast<int>(__VA_ARGS__) != 0) leap::cuda_failed("cuBLAS: " #__VA_ARGS__); \
  } while (false)
#define C10_CUDA_CHECK(...) ::c10::cuda::check_status((__VA_ARGS__))
#define AT_CUDA_CHECK(...) C10_CUDA_CHECK(__VA_ARGS__)
#define TORCH_CUDA_CHECK(...) C10_CUDA_CHECK(__VA_ARGS__)
#define C10_CUDA_CHECK_WARN(...) ((void)(__VA_ARGS__))
#define C10_CUDA_IGNORE_ERROR(...) ((void)(__VA_ARGS__))
#define C10_CUDA_KERNEL_LAUNCH_CHECK() C10_CUDA_CHECK(cudaGetLastError())
#define CUDA_KERNEL_LOOP_TYPE(i, n, index_type)                                           \
  for (index_type i = static_cast<index_type>(blockIdx.x) * blockDim.x + threadIdx.x;     \
       i < (n); i += static_cast<index_type>(blockDim.x) * gridDim.x)
#define CUDA_KERNEL_LOOP(i, n) CUDA_KERNEL_LOOP_TYPE(i, n, int)
#define C10_LAUNCH_BOUNDS_1(n) __launch_bounds__(n)
#define C10_LAUNCH_BOUNDS_2(n, m) __launch_bounds__(n, m)
