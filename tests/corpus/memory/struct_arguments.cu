/* Points passed to functions by value and returned: their reads and writes count like others.

def reference(points):
    centre = points.mean(0, keepdim=True)
    return 2 * centre - points

def inputs():
    return [torch.randn(64, 3)]
*/
#include <torch/extension.h>

struct Point {
  float x, y, z;
};

__device__ __noinline__ Point sum(Point a, Point b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
__device__ Point scaled(Point p, float s) { return {s * p.x, s * p.y, s * p.z}; }
__device__ Point operator-(Point a, Point b) { return sum(a, scaled(b, -1.0f)); }

__global__ void mirror(const Point* points, Point* out) {
  __shared__ Point s[64];
  const int t = threadIdx.x;
  s[t] = points[t];  //~ "points[t]" -> "scaled(points[t + 1], 1.0f)": ILLEGAL_MEMORY_ACCESS
  __syncthreads();  //~ delete: DATA_RACE
  for (int half = 32; half > 0; half >>= 1) {
    if (t < half) s[t] = sum(s[t], s[t + half]);  //@fold  //~ "s[t + half]" -> "s[t + 2 * half]": ILLEGAL_MEMORY_ACCESS
    __syncthreads();  //~ delete: DATA_RACE @fold
  }
  out[t] = scaled(s[0], 2.0f / 64) - points[t];  //~ "out[t]" -> "out[t + 1]": ILLEGAL_MEMORY_ACCESS  //~ "out[t]" -> "out[t / 2]": DATA_RACE
}

torch::Tensor forward(torch::Tensor points) {
  auto out = torch::empty_like(points);
  mirror<<<1, 64>>>(reinterpret_cast<const Point*>(points.data_ptr<float>()),
                    reinterpret_cast<Point*>(out.data_ptr<float>()));
  return out;
}
