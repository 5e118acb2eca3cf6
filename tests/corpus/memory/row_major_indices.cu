/* The outer sum of two vectors in a two-dimensional launch.

def reference(a, b):
    return a[:, None] + b[None]

def inputs():
    return [torch.randn(19), torch.randn(45)]
*/
#include <torch/extension.h>

__global__ void outer_sum(const float *a, const float *b, float *out, int rows, int cols)
{
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < rows && col < cols)  //~ "row < rows && col < cols" -> "row * cols + col < rows * cols": ILLEGAL_MEMORY_ACCESS @store  //~ "row < rows && col < cols" -> "row < cols && col < rows": ILLEGAL_MEMORY_ACCESS
    {
        out[row * cols + col] = a[row] + b[col];  //@store  //~ "row * cols + col" -> "row * rows + col": DATA_RACE @here  //~ "row * cols + col" -> "(row + 1) * cols + col": ILLEGAL_MEMORY_ACCESS @here  //~ "a[row] + b[col]" -> "a[col] + b[row]": ILLEGAL_MEMORY_ACCESS @here  //~ "row * cols + col" -> "col * cols + row": ILLEGAL_MEMORY_ACCESS @here
    }
}

torch::Tensor forward(torch::Tensor a, torch::Tensor b)
{
    int rows = a.size(0), cols = b.size(0);
    auto out = torch::empty({rows, cols}, a.options());
    dim3 block(16, 4);
    dim3 grid((cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y);  //~ "(cols + block.x - 1) / block.x, (rows + block.y - 1) / block.y" -> "(rows + block.x - 1) / block.x, (cols + block.y - 1) / block.y": NON_FINITE
    outer_sum<<<grid, block>>>(a.data_ptr<float>(), b.data_ptr<float>(), out.data_ptr<float>(), rows, cols);
    return out;
}
