// Language and launch forms: each host function launches one small kernel.
#include <cuda_runtime.h>
#include <vector>

#define CHECK_LAST() do { cudaError_t e = cudaGetLastError(); if (e != cudaSuccess) return (int)e; } while (0)

// 3-D indices
__global__ void indices3d(int* out, int nx, int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < nx && y < ny && z < nz)
    out[(z * ny + y) * nx + x] = x + 100 * y + 10000 * z + 1000000 * (gridDim.x + gridDim.y + gridDim.z);
}
extern "C" int run_indices3d(int* out, int nx, int ny, int nz) {
  dim3 block(4, 3, 2);
  dim3 grid((nx + block.x - 1) / block.x, (ny + block.y - 1) / block.y, (nz + block.z - 1) / block.z);
  indices3d<<<grid, block>>>(out, nx, ny, nz);
  CHECK_LAST();
  return 0;
}

// Templates: explicit, deduced, with a functor and a pack; overloads; namespaces
template <typename T, int N = 3>
__global__ void __launch_bounds__(256) add_constant(const T* __restrict__ x, T* __restrict__ y, const int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = x[i] + T(N);
}
template <typename... A>
__global__ void store_sum(float* out, A... values) { out[0] = (0.0f + ... + (float)values); }
struct Square { __device__ __forceinline__ float operator()(float v) const { return v * v; } };
template <class F>
__global__ void map(float* x, int n, F f) { int i = threadIdx.x; if (i < n) x[i] = f(x[i]); }
namespace detail { namespace {
__global__ void overloaded(float* x) { x[threadIdx.x] += 0.5f; }
__global__ void overloaded(double* x) { x[threadIdx.x] += 0.25; }
} }
extern "C" void run_templates(float* x, float* y, double* d, int n) {
  add_constant<float, (3 > 2) ? 7 : 1><<<2, 64>>>(x, y, n);
  add_constant<float> <<< 1, 32 >>> (y, y, n);
  add_constant<<<1, 32>>>(d, d, n);
  map<<<1, n, 0, 0>>>(y, n, Square());
  map<<<1, n>>>(y, n, [] __device__ (float v) { return v - 1.0f; });
  detail::overloaded<<<1, n>>>(y);
  detail::overloaded<<<1, n>>>(d);
  store_sum<<<1, 1>>>(x, 1, 2.5f, 3.0);
}

// Launches from macros and dispatch lambdas, over several lines
#define KERNEL(name, expression)                                   \
  __global__ void name##_kernel(const float* x, float* y, int n) { \
    int i = blockIdx.x * blockDim.x + threadIdx.x;                 \
    if (i < n) { float v = x[i]; y[i] = expression; }              \
  }
KERNEL(twice, 2.0f * v)
KERNEL(relu, v > 0.0f ? v : 0.0f)
#define LAUNCH(name, n, ...) name##_kernel<<<((n) + 31) / 32, 32>>>(__VA_ARGS__, n)
#define DISPATCH(...) [&] { using scalar_t = float; return __VA_ARGS__(); }()
template <typename scalar_t>
__global__ void shift(scalar_t* x, int n, scalar_t by) { if (threadIdx.x < n) x[threadIdx.x] += by; }
extern "C" void run_macros(const float* x, float* y, int n) {
  LAUNCH(twice, n, x, y);
  LAUNCH(relu, n, y, y);
  DISPATCH(([&] {
    shift<scalar_t><<<
        dim3(1),
        dim3(n)  // a comment, with <<< in it
    >>>(
        y,
        n, 1.5);
  }));
}

// Constant memory, device variables, structs by value, vector types
__constant__ float weights[4];
__device__ int counter = 5;
struct Parameters { float scale; int offset[2]; };
__global__ void constants(float4* x, Parameters p) {
  float4 v = x[threadIdx.x];
  v.x = v.x * weights[0] + p.scale;
  v.y = v.y * weights[1] + p.offset[0];
  v.z *= weights[2];
  v.w = make_float2(weights[3], 1.0f).x;
  x[threadIdx.x] = v;
  atomicAdd(&counter, 1);
}
extern "C" int run_constants(float4* x, int n, const float* host_weights, int* host_counter) {
  cudaMemcpyToSymbol(weights, host_weights, sizeof(weights));
  Parameters p{0.5f, {3, 4}};
  constants<<<1, n>>>(x, p);
  cudaMemcpyFromSymbol(host_counter, counter, sizeof(int));
  CHECK_LAST();
  return 0;
}

// Math
__global__ void math(const float* x, float* y, int* z) {
  float v = x[threadIdx.x];
  y[0] = __expf(v) + __logf(v) + rsqrtf(v) + __fdividef(v, 2.0f) + fmaxf(v, 0.0f) + min(v, 1.0f) + max(1, 2);
  y[1] = __powf(v, 2.0f) + __sinf(v) + __fmaf_rn(v, v, 1.0f) + __saturatef(v) + fabsf(-v) + abs(-v) + erff(v);
  y[2] = __ldg(&x[0]) + __int_as_float(__float_as_int(v)) + tanhf(v) + exp(v) + pow(v, 3) + sqrt(v);
  z[0] = __popc(255) + __clz(1) + __ffs(8) + (int)__brev(1u) + __float2int_rn(2.5f) + __float2int_rz(-1.7f);
  z[1] = __mulhi(1 << 30, 8) + (int)__umulhi(1u << 31, 4u) + (int)__byte_perm(0x03020100, 0x07060504, 0x5410);
}
extern "C" void run_math(const float* x, float* y, int* z) { math<<<1, 1>>>(x, y, z); }

// cudaLaunchKernel, a kernel declared before it is defined, an unused parameter, NULL
static __global__ void later(float* x, int, const float* maybe = nullptr);
extern "C" void run_forms(float* x) {
  later<<<1, 2>>>(x, 3, NULL);
  float* p = x; int one = 1; const float* none = nullptr;
  void* arguments[] = {&p, &one, &none};
  cudaLaunchKernel(later, dim3(1), dim3(2), arguments, 0, 0);
}
static __global__ void later(float* x, int, const float* maybe) { x[threadIdx.x] += maybe ? 100.f : 1.f; }

// Device printf
__global__ void say(int n) { if (threadIdx.x == 0) printf("block %d of %d\n", blockIdx.x, n); }
extern "C" void run_say(int n) { say<<<n, 4>>>(n); }

// Order: the last writer wins
__global__ void last_writer(int* x) { atomicExch(x, (int)(blockIdx.x * blockDim.x + threadIdx.x)); }
extern "C" void run_last_writer(int* x) { last_writer<<<7, 33>>>(x); }

// Poison: newly allocated memory is not zero
extern "C" float first_of_malloc() {
  float* p; float value;
  cudaMalloc(&p, 64);
  cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
  cudaFree(p);
  return value;
}
