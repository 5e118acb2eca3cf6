// The emulator's CUDA runtime header.
#pragma once

#include <assert.h>
#include <stdio.h>

#include "leap_api.h"
#include "leap_atomics.h"
#include "leap_intrinsics.h"
#include "leap_warp.h"
