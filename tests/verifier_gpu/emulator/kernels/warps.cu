// Warp operations, atomics, cooperative groups, half and bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

__global__ void warp_operations(int* out) {
  int i = threadIdx.x, lane = i & 31;
  int* o = out + i * 16;
  o[0] = __shfl_sync(0xffffffff, i, 3);
  o[1] = __shfl_up_sync(0xffffffff, i, 2);
  o[2] = __shfl_down_sync(0xffffffff, i, 2, 8);
  o[3] = __shfl_xor_sync(0xffffffff, i, 1);
  o[4] = (int)__ballot_sync(0xffffffff, lane < 3);
  o[5] = __any_sync(0xffffffff, lane == 7) + 2 * __all_sync(0xffffffff, lane < 31);
  o[6] = __popc(__match_any_sync(0xffffffff, lane % 4));
  o[7] = __reduce_add_sync(0xffffffff, i) + __reduce_max_sync(0xffffffff, -i);
  o[8] = (int)__shfl_down_sync(0xffffffff, (double)i + 0.5, 1);
  if (lane < 8) o[9] = __shfl_sync(0xff, i, 7) + 100 * __popc(__activemask());
  else o[9] = (int)__popc(__ballot_sync(0xffffff00, 1)) + 100 * __popc(__activemask());
  __syncwarp();
  int pred; o[10] = (int)__match_all_sync(0xffffffff, 5, &pred); o[11] = pred;
}
extern "C" void run_warp_operations(int* out) { warp_operations<<<1, 64>>>(out); }

__global__ void atomics(int* i, unsigned* u, unsigned long long* ull, float* f, double* d) {
  int t = threadIdx.x;
  atomicAdd(i, t); atomicSub(i + 1, 1); atomicMax(i + 2, t); atomicMin(i + 3, -t);
  atomicOr(i + 4, 1 << (t % 8)); atomicAnd(i + 5, ~(1 << (t % 8))); atomicXor(i + 6, 1); atomicExch(i + 7, 42);
  atomicInc(u, 10u); atomicDec(u + 1, 10u); atomicAdd(u + 2, 2u);
  atomicAdd(ull, 1ull); atomicAdd(f, 0.5f); atomicAdd(d, 0.25);
  // float max by CAS
  int* address = (int*)(f + 1); int old = *address, assumed;
  do { assumed = old; old = atomicCAS(address, assumed, __float_as_int(fmaxf((float)t, __int_as_float(assumed)))); } while (assumed != old);
}
extern "C" void run_atomics(int* i, unsigned* u, unsigned long long* ull, float* f, double* d) { atomics<<<1, 50>>>(i, u, ull, f, d); }

__global__ void groups(float* out) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  auto tile = cg::tiled_partition<8>(warp);
  int i = block.thread_rank();
  out[i * 4] = cg::reduce(tile, (float)i, cg::plus<float>());
  out[i * 4 + 1] = cg::inclusive_scan(warp, 1.0f);
  out[i * 4 + 2] = tile.shfl_down((float)tile.thread_rank(), 1) + 100 * tile.meta_group_rank();
  if (i % 2) { auto active = cg::coalesced_threads(); out[i * 4 + 3] = active.size(); }
  else out[i * 4 + 3] = -1;
  cg::sync(block);
}
extern "C" void run_groups(float* out) { groups<<<1, 64>>>(out); }

__global__ void halves(const float* x, const float* y, float* out, int n) {
  int i = threadIdx.x;
  if (i >= n) return;
  half a = __float2half(x[i]), b = __float2half(y[i]);
  __nv_bfloat16 c = __float2bfloat16(x[i]), d = __float2bfloat16(y[i]);
  out[i * 10 + 0] = __half2float(a);
  out[i * 10 + 1] = __half2float(a + b);
  out[i * 10 + 2] = __half2float(a * b);
  out[i * 10 + 3] = __half2float(__hdiv(a, b));
  out[i * 10 + 4] = __half2float(__hfma(a, b, a));
  out[i * 10 + 5] = __bfloat162float(c);
  out[i * 10 + 6] = __bfloat162float(c + d);
  out[i * 10 + 7] = __bfloat162float(c * d);
  half2 p = __hmul2(__halves2half2(a, b), __float2half2_rn(2.0f));
  out[i * 10 + 8] = __low2float(p);
  out[i * 10 + 9] = __high2float(p);
}
extern "C" void run_halves(const float* x, const float* y, float* out, int n) { halves<<<1, n>>>(x, y, out, n); }

__global__ void half_sum(const half* x, half* out, float* wide, int n) {
  int i = threadIdx.x;
  half v = i < n ? x[i] : __float2half(0.0f);
  float s = __half2float(v);
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(0xffffffff, s, o);
  half h = __shfl_sync(0xffffffff, v, 1);
  if (i == 0) { *wide = s; out[0] = h; }
  atomicAdd(out + 1, __float2half(1.0f));
}
extern "C" void run_half_sum(const half* x, half* out, float* wide, int n) { half_sum<<<1, 32>>>(x, out, wide, n); }
