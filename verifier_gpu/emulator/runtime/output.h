// What device code prints.
#pragma once

namespace leap {

void clear_output();
const char* output();

}  // namespace leap
