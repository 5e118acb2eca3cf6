// Stands in for torch's header of the same name; see leap/binding.h.
#pragma once

#include "../leap/binding.h"
#include "types.h"
