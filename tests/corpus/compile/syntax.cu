/* Slips of the pen: a lost semicolon, brace or letter.

def reference(x):
    return x.cumsum(0)

def inputs():
    return [torch.randn(37)]
*/
#include <torch/extension.h>

#define WIDTH 37

__global__ void running_sum(const float* data, float* sums) {
  float total = 0.f;  //~ "0.f;" -> "0.f": COMPILE_ERROR
  for (int k = 0; k < WIDTH; ++k) {  //~ "{" -> "": COMPILE_ERROR @total  //~ "k < WIDTH" -> "k < WIDHT": COMPILE_ERROR @here
    total += data[k];  //~ "data[k]" -> "dta[k]": COMPILE_ERROR @here  //~ "data[k]" -> "data(k)": COMPILE_ERROR @here  //~ "data[k]" -> "data[k": COMPILE_ERROR @here
    sums[k] = total;  //@total  //~ "total" -> "Total": COMPILE_ERROR @here
  }
}

torch::Tensor forward(torch::Tensor x) {
  auto y = torch::empty_like(x);
  running_sum<<<1, 1>>>(x.data_ptr<float>(), y.data_ptr<float>());  //~ ">>>" -> ">>": COMPILE_ERROR @here  //~ "<<<1, 1>>>" -> "<<<1>>>": PASSED  //~ "<<<1, 1>>>" -> "<<<>>>": COMPILE_ERROR @here
  return y;  //~ "y;" -> "y, x": COMPILE_ERROR
}
