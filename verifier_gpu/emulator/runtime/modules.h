// The loaded submission's own data: __device__ and __constant__ variables, literals.
#pragma once

#include <stddef.h>

namespace leap {

// True if [p, p + n) lies in a loaded segment of the submission or of this library.
bool in_module_data(const void* p, size_t n);

// Where a submission's variable stands among all of them, for tables indexed by
// address: below kMostModuleData, or kNotAVariable (constants, or too much data).
inline constexpr size_t kMostModuleData = size_t{64} << 20;
inline constexpr size_t kNotAVariable = ~size_t{0};
size_t module_variable(const void* p);

// Forgets what is known, so that a library loaded since is found.
void refresh_modules();

}  // namespace leap
