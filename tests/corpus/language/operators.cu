/* Complex numbers as a struct with members for host and device, operators and default arguments.

def reference(x):
    z = torch.complex(x[0], x[1])
    w = z * z + (0.3 - 0.2j) * z
    return torch.stack([w.real, w.imag]) + 1, w.abs()

def inputs():
    return [torch.randn(2, 50)]
*/
#include <torch/extension.h>

namespace numbers {
namespace detail {
static __device__ float squared(const float& v) { return v * v; }
}  // namespace detail

struct Complex {
  float re = 0.0f, im = 0.0f;
  __host__ __device__ constexpr Complex(float r = 0.0f, float i = 0.0f) : re(r), im(i) {}
  __host__ __device__ Complex operator+(const Complex& o) const { return {re + o.re, im + o.im}; }
  __host__ __device__ Complex operator-() const { return Complex(-re, -im); }
  __host__ __device__ Complex& operator+=(const Complex& o) {
    re += o.re;
    im += o.im;  //~ "im +=" -> "im -=": WRONG_VALUES
    return *this;
  }
  __device__ float operator[](int i) const { return i == 0 ? re : im; }  //~ "i == 0" -> "i == 1": WRONG_VALUES
  __device__ explicit operator bool() const { return re != 0.0f || im != 0.0f; }
  __device__ float abs() const;
};

__host__ __device__ inline Complex operator*(const Complex& a, const Complex& b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};  //~ "b.re - a.im" -> "b.re + a.im": WRONG_VALUES
}

__device__ float Complex::abs() const {
  return sqrtf(detail::squared(re) + detail::squared(im));
}
}  // namespace numbers

using numbers::Complex;
using Real = float;

__device__ void shift(Complex& z, Real by = 1.0f, Real turn = 1.0f) {  //~ "Complex& z" -> "Complex z": WRONG_VALUES
  z += Complex(by, turn);
}

__global__ void polynomial(const Real* x, Real* out, Real* size, int n, Complex factor) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const Complex z(x[i], x[i + n]);
  Complex w = z * z;
  w += factor * z;  //~ "+= " -> "-= ": COMPILE_ERROR @here
  size[i] = w ? w.abs() : 0.0f;  //~ "w ?" -> "!w ?": WRONG_VALUES
  shift(w);  //~ "(w)" -> "(w, 2.0f)": WRONG_VALUES
  out[i] = w[0];
  out[i + n] = w[1];
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  auto out = torch::empty_like(x);
  const int n = x.size(1);
  auto size = torch::empty({n}, x.options());
  const Complex factor = -(Complex(-0.3f) + Complex(0.0f, 0.2f));  //~ "= -(" -> "= (": WRONG_VALUES
  polynomial<<<(n + 31) / 32, 32>>>(x.data_ptr<float>(), out.data_ptr<float>(),
                                    size.data_ptr<float>(), n, factor);
  return {out, size};
}
