/* More stack for deep recursion, asked of the device; what else of the runtime there is or is not.

def reference(x):
    return x * (x + 1) // 2

def inputs():
    return [torch.randint(0, 300, (40,)).int()]
*/
#include <torch/extension.h>

#define CHECK(call) TORCH_CHECK((call) == cudaSuccess, #call, " failed")

__device__ int sum_to(int n, volatile int* calls) {
  *calls += 1;
  return n == 0 ? 0 : n + sum_to(n - 1, calls);
}

__global__ void sum(const int* x, int* s, int n) {
  int calls = 0;
  if (threadIdx.x < n) s[threadIdx.x] = sum_to(x[threadIdx.x], &calls);
}

torch::Tensor forward(torch::Tensor x) {
  auto s = torch::empty_like(x);
  size_t before = 0, now = 0;
  CHECK(cudaDeviceGetLimit(&before, cudaLimitStackSize));
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 64 * 1024));  //~ "cudaLimitStackSize" -> "cudaLimitStack": COMPILE_ERROR @here
  CHECK(cudaDeviceGetLimit(&now, cudaLimitStackSize));
  TORCH_CHECK(now >= 64 * 1024);  //~ "now >= 64" -> "now < 64": RUNTIME_ERROR
  int least = 1, greatest = 1, resident = 0;
  CHECK(cudaDeviceGetStreamPriorityRange(&least, &greatest));  //~ "cudaDeviceGetStreamPriorityRange" -> "cudaDeviceGetStreamPriorities": COMPILE_ERROR @here  //~ "cudaDeviceGetStreamPriorityRange(&least, &greatest)" -> "cudaHostRegister(&least, sizeof(int), 0)": UNSUPPORTED  //~ "cudaDeviceGetStreamPriorityRange(&least, &greatest)" -> "cudaMemcpyPeer(nullptr, 0, nullptr, 0, 0)": UNSUPPORTED
  CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&resident, sum, 64, 0, 0));
  TORCH_CHECK(greatest <= least && resident > 0);
  sum<<<1, 64>>>(x.data_ptr<int>(), s.data_ptr<int>(), x.numel());
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaDeviceSetLimit(cudaLimitStackSize, before));
  return s;
}
