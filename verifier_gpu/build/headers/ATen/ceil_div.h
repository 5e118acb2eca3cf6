// Stands in for the header of the same name.
#pragma once

#include "../leap/functions.h"
