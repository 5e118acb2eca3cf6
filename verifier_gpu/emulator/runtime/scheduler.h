// Runs the blocks of a launch: threads on fibers, barriers, warp operations.
#pragma once

#include "state.h"

namespace leap {

struct LaunchShape {
  Uint3 grid, block;
  void (*body)(const void*);
  const void* closure;
};

// Runs every block to its end, or until a fault. Returns after the last one.
void run_grid(const LaunchShape& shape);

}  // namespace leap
