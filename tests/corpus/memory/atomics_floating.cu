/* Sums in float and double by atomicAdd, a maximum and a product by compare-and-swap loops.

def reference(x):
    return x.sum(0), x.double().sum(0), x.amax(0), x.prod(0)

def inputs():
    return [torch.rand(37, 3) + 0.5]
*/
#include <torch/extension.h>

__device__ float atomic_max(float* address, float value) {
  int* bits = reinterpret_cast<int*>(address);
  int old = *bits;
  while (__int_as_float(old) < value) {
    const int assumed = old;
    old = atomicCAS(bits, assumed, __float_as_int(value));
    if (old == assumed) break;
  }
  return __int_as_float(old);
}

__device__ void atomic_multiply(float* address, float factor) {
  unsigned int* bits = (unsigned int*)address;
  unsigned int old = *bits, assumed;  //@peek
  do {
    assumed = old;
    old = atomicCAS(bits, assumed, __float_as_uint(__uint_as_float(assumed) * factor));  //~ "atomicCAS(bits, assumed, __float_as_uint(__uint_as_float(assumed) * factor))" -> "assumed; *address *= factor": DATA_RACE @peek
  } while (assumed != old);
}

__global__ void column_statistics(const float* x, float* sum, double* exact, float* most, float* product,
                                  int rows, int columns) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y, column = threadIdx.x;
  if (row >= rows) return;  //~ delete: ILLEGAL_MEMORY_ACCESS
  const float value = x[row * columns + column];
  atomicAdd(sum + column, value);  //~ "atomicAdd(sum + column, value)" -> "sum[column] += value": DATA_RACE @here  //~ "sum + column" -> "sum + row": ILLEGAL_MEMORY_ACCESS @here
  atomicAdd(exact + column, (double)value);
  atomic_max(most + column, value);
  atomic_multiply(product + column, value);
}

std::vector<torch::Tensor> forward(torch::Tensor x) {
  const int rows = x.size(0), columns = x.size(1);
  auto sum = torch::zeros({columns}, x.options());
  auto exact = torch::zeros({columns}, x.options().dtype(torch::kDouble));
  auto most = torch::full({columns}, -INFINITY, x.options());  //~ "-INFINITY" -> "INFINITY": NON_FINITE
  auto product = torch::ones({columns}, x.options());  //~ "ones" -> "zeros": WRONG_VALUES
  column_statistics<<<(rows + 7) / 8, dim3(columns, 8)>>>(
      x.data_ptr<float>(), sum.data_ptr<float>(), exact.data_ptr<double>(), most.data_ptr<float>(),
      product.data_ptr<float>(), rows, columns);
  return {sum, exact, most, product};
}
