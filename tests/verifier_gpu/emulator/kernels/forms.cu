#include <cuda_runtime.h>
#include <algorithm>
#include <vector>
#include <cstdint>
#define DEFINE_K(NAME, OP) template <typename T> __global__ void NAME(const T* a, T* b, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) { b[i] = OP(a[i]); } }
#define SQ(x) ((x) * (x))
DEFINE_K(sq, SQ)
extern "C" __global__ void plain_c(float* x) { x[threadIdx.x] += 1; }
namespace a::b { template <int N> struct Cfg { static constexpr int threads = N; }; static __global__ void inner(float* x, size_t) { __shared__ unsigned int c; __shared__ float4 v; if (threadIdx.x == 0) { c = 0; v = make_float4(0, 1, 2, 3); } __syncthreads(); x[threadIdx.x] += v.w + c; } }
static __global__ void k2(float (*x)[2], [[maybe_unused]] int n /* comment, here */, float y[]) { x[threadIdx.x][1] += y[0]; }
template <typename F> void launch(F f, float* x) { f<<<1, 4>>>(x); }
template <bool A, typename... Ts> __global__ void multi(float* x, Ts... ts) { if constexpr (A) x[0] += (ts + ... + 0); else x[1] = sizeof...(ts); }
__device__ const float table[3] = {1, 2, 3};
static __device__ __constant__ float ctable[2] = {4, 5};
__device__ __forceinline__ float pick(int i) { static const float local[2] = {7, 8}; return table[i] + ctable[i % 2] + local[i % 2]; }
__global__ void tables(float* x) { x[threadIdx.x] = pick(threadIdx.x % 3) + std::max(1.0f, x[threadIdx.x]) + std::min<float>(2, 3); }
template <typename T> __device__ void swap_(T& a, T& b) { T t = a; a = b; b = t; }
__global__ void lam(float* x, int64_t n) {
  extern __shared__ unsigned char raw[]; float* s = reinterpret_cast<float*>(raw); int* q = (int*)(s + blockDim.x);
  auto at = [&](int i) -> float& { return s[i]; };
  at(threadIdx.x) = x[threadIdx.x]; q[threadIdx.x] = threadIdx.x; __syncthreads();
  float a = at((threadIdx.x + 1) % blockDim.x), b = 2; swap_(a, b); x[threadIdx.x] = a + b + q[(threadIdx.x + 1) % blockDim.x];
}
enum class Mode : int { A, B };
template <Mode M> __global__ void mode(float* x) { if (M == Mode::B) x[0] = 3; }
extern "C" int run(float* x, float* y) {
  int n = 4; bool flag = true;
  if (flag) sq<float><<<1, n>>>(x, y, n); else sq<<<1, n>>>(x, y, n);
  plain_c<<<1, 4>>>(x);
  a::b::inner<<<dim3(1, 1, 1), a::b::Cfg<4>::threads>>>(x, 3);
  k2<<<1, 2>>>(reinterpret_cast<float (*)[2]>(x), 1, y);
  launch(plain_c, x); auto f = tables; f<<<1, 4>>>(x); void (*g)(float*) = plain_c; g<<<1, 4>>>(x); (*g)<<<1, 4>>>(x);
  multi<true><<<1, 1>>>(x, 1, 2.0f); multi<false, int><<<1, 1>>>(x, 1);
  lam<<<1, 4, 4 * (sizeof(float) + sizeof(int))>>>(x, n);
  switch (n) { case 4: mode<Mode::B><<<1, 1>>>(x); break; default: mode<Mode::A><<<1, 1>>>(x); }
  auto l = [&](auto tag) { using T = decltype(tag); sq<T><<<(n + 1) / 2, 2>>>(x, y, n); }; l(0.0f);
  for (int s = 0; s < 2; ++s) plain_c<<<1, 4>>>(x);
  std::vector<float*> v{x}; plain_c<<<v.size(), 4>>>(v[0]);
  return cudaGetLastError() == cudaSuccess ? (int)cudaDeviceSynchronize() : -1;
}
