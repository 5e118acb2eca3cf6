// CUDA's error state and per-kernel attributes, for the CUDA runtime API.
#pragma once

#include <stddef.h>

namespace leap {

int take_last_error();          // cudaGetLastError: resets it unless a fault made it sticky
int peek_last_error();          // cudaPeekAtLastError
int set_last_error(int error);  // returns `error`
void count_library_call(const char* routine);  // as a launch, under its name
unsigned largest_block(const void* kernel);    // in threads, by its __launch_bounds__
bool stream_lives(const void* stream);           // the default one always does
int allow_dynamic_shared(const void* kernel, size_t nbytes);  // returns a cudaError_t

}  // namespace leap
