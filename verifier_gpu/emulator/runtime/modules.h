// The loaded submission's own data: __device__ and __constant__ variables, literals.
#pragma once

#include <stddef.h>

namespace leap {

// True if [p, p + n) lies in a loaded segment of the submission or of this library.
bool in_module_data(const void* p, size_t n);

// Forgets what is known, so that a library loaded since is found.
void refresh_modules();

}  // namespace leap
