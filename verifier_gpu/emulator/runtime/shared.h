// The block's shared memory: __shared__ declarations and the dynamic part.
#pragma once

#include <stddef.h>

namespace leap {

inline constexpr size_t kStaticSharedLimit = 48 * 1024;
inline constexpr size_t kOptInSharedLimit = 227 * 1024;

// A new launch: nothing is declared yet. `opted_in` is what cudaFuncSetAttribute allowed, or 0.
void begin_launch_shared(size_t dynamic_bytes, size_t opted_in);
void begin_block_shared();  // a new block: everything is poison again

}  // namespace leap
