// Wrong kernels: every one must be a fault.
#include <cuda_runtime.h>
#include <vector>

__global__ void write_past_end(float* x, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; x[i] = i; }
extern "C" void run_write_past_end(float* x, int n) { write_past_end<<<(n + 63) / 64, 64>>>(x, n); }

__global__ void read_before(const float* x, float* y) { y[threadIdx.x] = x[(int)threadIdx.x - 1]; }
extern "C" void run_read_before(const float* x, float* y) { read_before<<<1, 2>>>(x, y); }

__global__ void shared_overrun(float* y) {
  __shared__ float s[32];
  s[threadIdx.x + 1] = 1.0f;
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x];
}
extern "C" void run_shared_overrun(float* y) { shared_overrun<<<1, 32>>>(y); }

__global__ void dynamic_overrun(float* y) { extern __shared__ float s[]; s[threadIdx.x] = 1.0f; y[threadIdx.x] = s[threadIdx.x]; }
extern "C" void run_dynamic_overrun(float* y) { dynamic_overrun<<<1, 32, 16 * sizeof(float)>>>(y); }

__global__ void store(float* x) { x[threadIdx.x] = 1.0f; }
extern "C" void run_host_pointer() { std::vector<float> host(64); store<<<1, 32>>>(host.data()); }
extern "C" void run_null_pointer() { store<<<1, 32>>>(nullptr); }
extern "C" void run_wild_pointer() { store<<<1, 32>>>((float*)0x123456789000ull); }
extern "C" void run_use_after_free() { float* p; cudaMalloc(&p, 128); cudaFree(p); store<<<1, 32>>>(p); }
extern "C" float run_host_read(const float* device) { return device[0] + 1.0f; }

__global__ void misaligned(float* x) { float4 v = *(float4*)(x + 1); x[0] = v.x; }
extern "C" void run_misaligned(float* x) { misaligned<<<1, 1>>>(x); }
__global__ void misaligned2(float* x) { float2 v = *(float2*)(x + 1); x[0] = v.x + v.y; }
extern "C" void run_misaligned2(float* x) { misaligned2<<<1, 1>>>(x); }

__global__ void atomic_out(int* x) { atomicAdd(x + 1000, 1); }
extern "C" void run_atomic_out(int* x) { atomic_out<<<1, 1>>>(x); }

__global__ void divergent(float* x) {
  if (threadIdx.x < 16) {
    __syncthreads();
  } else {
    x[threadIdx.x] = 1.0f;
    __syncthreads();
  }
}
extern "C" void run_divergent(float* x) { divergent<<<1, 32>>>(x); }

__global__ void lanes_missing(float* x) {
  float v = 1.0f;
  if (threadIdx.x < 16) v = __shfl_down_sync(0xffffffff, v, 8);
  __syncthreads();
  x[threadIdx.x] = v;
}
extern "C" void run_lanes_missing(float* x) { lanes_missing<<<1, 32>>>(x); }
__global__ void lane_not_in_mask(float* x) { x[threadIdx.x] = __shfl_sync(0x0000ffff, 1.0f, 0); }
extern "C" void run_lane_not_in_mask(float* x) { lane_not_in_mask<<<1, 32>>>(x); }

__device__ int endless(int* x, int n) { volatile char big[512]; big[n % 512] = 1; return endless(x, n + 1) + big[0] + x[0]; }
__global__ void recursion(int* x) { x[0] = endless(x, 0); }
extern "C" void run_recursion(int* x) { recursion<<<1, 1>>>(x); }

__global__ void asserting(int* x) { assert(threadIdx.x < 3 && "few threads"); x[0] = 1; }
extern "C" void run_asserting(int* x) { asserting<<<1, 8>>>(x); }
__global__ void trapping() { if (threadIdx.x == 2) __trap(); }
extern "C" void run_trapping() { trapping<<<1, 8>>>(); }

__global__ void too_much_shared(float* x) { __shared__ double s[4096], t[4096]; s[0] = 1; t[0] = s[0]; x[0] = t[0]; }
extern "C" void run_too_much_shared(float* x) { too_much_shared<<<1, 1>>>(x); }

__global__ void shared_together(float* x) {
  extern __shared__ float a[];
  __shared__ float b[8192];
  a[threadIdx.x] = b[threadIdx.x] = 1;
  x[0] = a[0] + b[0];
}
extern "C" void run_shared_together(float* x) { shared_together<<<1, 1, 16388>>>(x); }

// After a fault the device is lost
extern "C" int run_after_fault(float* x) {
  run_null_pointer();
  int first = cudaGetLastError(), second = cudaDeviceSynchronize();
  store<<<1, 1>>>(x);
  float* p;
  int third = cudaMalloc(&p, 16);
  return first * 1000000 + second * 1000 + third;
}

// Members of the host: the constructor runs there, what is called in the kernel does not
struct Scale {
  float by;
  explicit Scale(float value) : by{value} {}
  Scale(const Scale& other) : by(other.by) {}
  ~Scale() {}
  __device__ float twice(float v) const { return 2 * by * v; }
  float operator()(float v) const { return by * v; }
};
template <class F> __global__ void apply_host(float* x, F f) { x[0] = f(x[0]); }
template <class F> __global__ void apply_device(float* x, F f) { x[0] = f.twice(x[0]); }
extern "C" void run_host_member(float* x) { apply_host<<<1, 1>>>(x, Scale(2)); }
extern "C" void run_device_member(float* x) { apply_device<<<1, 1>>>(x, Scale(2)); }

// A parameter by reference is the host's own
__global__ void by_reference(float* x, const float& value) { x[0] = value; }
extern "C" void run_by_reference(float* x) {
  float value = 2;
  by_reference<<<1, 1>>>(x, value);
}

// Launches that CUDA's limits refuse
extern "C" int run_launch(float* x, int gx, int gy, int gz, int bx, int by, int bz, int shared, int opt_in) {
  if (opt_in) cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, opt_in);
  store<<<dim3(gx, gy, gz), dim3(bx, by, bz), shared>>>(x);
  int error = cudaGetLastError(), after = cudaGetLastError();
  // A kernel keeps its limit, and the next launch starts from CUDA's own
  if (opt_in) cudaFuncSetAttribute(store, cudaFuncAttributeMaxDynamicSharedMemorySize, 48 * 1024);
  return error * 1000 + after;
}

__global__ void ldg_out(const float* x, float* y) {
  int i = threadIdx.x;
  y[i] = 1.0f +
         __ldg(&x[i + 64]);
}
extern "C" void run_ldg_out(const float* x, float* y) { ldg_out<<<1, 1>>>(x, y); }

__global__ void divide(int* x, int n) { x[1] = x[0] / n; }
extern "C" void run_divide(int* x) { divide<<<1, 1>>>(x, 0); }

__global__ void shift(unsigned* x, int n) { x[1] = x[0] << n; }
extern "C" void run_shift(unsigned* x) { shift<<<1, 1>>>(x, 32); }

struct Big { float v[64]; };
__global__ void big_copy(Big* x) { x[1] = x[0]; }
extern "C" void run_big_copy(Big* x) { big_copy<<<1, 1>>>(x); }
__global__ void memset_out(float* x, int n) { memset(x, 0, n * sizeof(float)); }
extern "C" void run_memset_out(float* x) { memset_out<<<1, 1>>>(x, 100); }

// Conversions beyond a type's range: a GPU saturates, this machine does not
__global__ void cast_far(float* x) { x[1] = (int)(x[0] + 1e20f); }
extern "C" void run_cast_far(float* x) { cast_far<<<1, 1>>>(x); }
__global__ void cast_negative(float* x) { ((unsigned char*)x)[5] = (unsigned char)(x[0] - 1.0f); }
extern "C" void run_cast_negative(float* x) { cast_negative<<<1, 1>>>(x); }
