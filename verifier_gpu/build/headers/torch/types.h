// Stands in for torch's header of the same name; see leap/tensor.h.
#pragma once

#include "../leap/dispatch.h"
#include "../leap/functions.h"

namespace at {
using Dtype = ScalarType;
}
namespace torch {
using namespace at;
using Dtype = at::ScalarType;
namespace nn::functional {}
}  // namespace torch
