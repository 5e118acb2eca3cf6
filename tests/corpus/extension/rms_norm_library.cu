/* RMSNorm as a library writes it: a namespace, a template, accumulators in acc_type, more functions than one.

def reference(x, eps):
    return x * torch.rsqrt((x**2).mean(-1, keepdim=True) + eps)

def inputs():
    return [torch.randn(5, 37), 1e-5]
*/
#include <cuda_runtime.h>
#include <torch/extension.h>
#include <ATen/ATen.h>
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAGuard.h>
#include <c10/util/Half.h>
#include <ATen/AccumulateType.h>
#include <cooperative_groups.h>
#include <float.h>
#include <math_constants.h>
namespace cg = cooperative_groups;
#define BLOCK 128
#define CEIL_DIV(a,b) (((a)+(b)-1)/(b))
#define CUDA_CHECK(call) do { cudaError_t err = call; if (err != cudaSuccess) { fprintf(stderr, "CUDA error %s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(err)); exit(1);} } while(0)
namespace {
template <typename scalar_t, int N = 4>
__global__ void __launch_bounds__(BLOCK) norm(const scalar_t* __restrict__ in, scalar_t* __restrict__ out, const int64_t n, const float eps) {
  using acc_t = at::acc_type<scalar_t, true>;
  __shared__ acc_t buf[BLOCK];
  acc_t sum = 0;
  const scalar_t* p = in + blockIdx.x * n;
#pragma unroll 4
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) { acc_t v = static_cast<acc_t>(__ldg(p + i)); sum += v * v; }
  buf[threadIdx.x] = sum; __syncthreads();
  for (unsigned s = blockDim.x >> 1; s > 0; s >>= 1) { if (threadIdx.x < s) buf[threadIdx.x] += buf[threadIdx.x + s]; __syncthreads(); }
  const acc_t scale = rsqrtf(buf[0] / n + eps);  //~ "buf[0] / n" -> "buf[0]": WRONG_VALUES
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = static_cast<scalar_t>(static_cast<acc_t>(p[i]) * scale);
}
}
struct Params { int64_t rows, cols; float eps; };
static torch::Tensor run(const torch::Tensor& input, const Params& p) {
  at::cuda::CUDAGuard guard(input.device());
  auto x = input.is_contiguous() ? input : input.contiguous();
  torch::Tensor out = torch::empty_like(x, torch::MemoryFormat::Contiguous);
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(x.scalar_type(), "norm", ([&] {
    norm<scalar_t><<<dim3(p.rows), dim3(BLOCK), 0, at::cuda::getCurrentCUDAStream()>>>(
      x.const_data_ptr<scalar_t>(), out.mutable_data_ptr<scalar_t>(), p.cols, p.eps);
  }));
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  return out;
}
torch::Tensor forward(torch::Tensor input, double eps) {
  TORCH_CHECK(input.dim() >= 1, __func__, ": bad dim ", input.dim());  //~ ">= 1" -> ">= 3": RUNTIME_ERROR
  TORCH_CHECK_EQ(input.device().type(), torch::kCUDA);
  int64_t cols = input.size(-1);
  if (input.numel() == 0) return torch::zeros_like(input);
  return run(input, Params{input.numel() / cols, cols, (float)eps});
}
std::tuple<torch::Tensor, torch::Tensor> both(torch::Tensor a, torch::Tensor b) { auto t = at::max(a); return {a.sub(b), t}; }
std::vector<torch::Tensor> split2(const torch::Tensor& a) { auto c = a.chunk(2, 0); return {c[0], c[1]}; }
at::Tensor linear_like(at::Tensor x, at::Tensor w, at::Tensor b) { auto y = at::addmm(b, x, w.t()); return y.relu_(); }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {
  m.def("forward", &forward, "rms norm", py::arg("input"), py::arg("eps") = 1e-5);
  m.def("both", &both); m.def("split2", &split2); m.def("linear_like", &linear_like, "linear (CUDA)");
}
