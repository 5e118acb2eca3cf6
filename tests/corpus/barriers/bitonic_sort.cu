/* A bitonic sort of each row in shared memory; rows are padded to 128 with infinities.

def reference(x):
    return x.sort(-1).values

def inputs():
    return [torch.randn(3, 100)]
*/
#include <torch/extension.h>

__global__ void sort_rows(const float *__restrict__ in, float *__restrict__ out, const int width)
{
    __shared__ float keys[128];
    const unsigned int t = threadIdx.x;
    keys[t] = t < width ? in[blockIdx.x * width + t] : INFINITY;  //~ "INFINITY" -> "0.0f": WRONG_VALUES
    __syncthreads();  //~ delete: DATA_RACE
    for (unsigned int size = 2; size <= 128; size *= 2)  //~ "size <= 128" -> "size < 128": NON_FINITE
    {
        for (unsigned int gap = size / 2; gap > 0; gap /= 2)
        {
            const unsigned int other = t ^ gap;
            if (other > t)  //~ "other > t" -> "true": DATA_RACE
            {
                const bool ascending = (t & size) == 0;  //~ "== 0" -> "!= 0": NON_FINITE
                const float a = keys[t], b = keys[other];
                if ((a > b) == ascending)
                {
                    keys[t] = b;
                    keys[other] = a;
                }
            }
            __syncthreads();  //~ delete: DATA_RACE
        }
    }
    if (t < width) out[blockIdx.x * width + t] = keys[t];  //~ "t < width" -> "t <= width": DATA_RACE @here
}

torch::Tensor forward(torch::Tensor x)
{
    torch::Tensor out = torch::empty_like(x);
    sort_rows<<<dim3(x.size(0)), dim3(128)>>>(x.data_ptr<float>(), out.data_ptr<float>(), x.size(1));  //~ "dim3(128)" -> "dim3(64)": NON_FINITE
    return out;
}
