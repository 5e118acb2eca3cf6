// Cooperative groups: the thread block, tiles of a warp, coalesced threads.
#pragma once

#include "cuda_runtime.h"

namespace cooperative_groups {

class thread_block {
 public:
  void sync(leap_place at = LEAP_HERE) const { __syncthreads(at); }
  unsigned thread_rank() const {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
  unsigned num_threads() const { return size(); }
  dim3 group_index() const { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  dim3 thread_index() const { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  dim3 group_dim() const { return blockDim; }
  dim3 dim_threads() const { return blockDim; }
};
typedef thread_block thread_group;

inline thread_block this_thread_block() { return {}; }

// The lanes of `mask` in the running thread's warp.
class LeapLanes {
 public:
  explicit LeapLanes(unsigned mask) : mask_(mask) {}
  unsigned size() const { return static_cast<unsigned>(__popc(mask_)); }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const { return static_cast<unsigned>(__popc(mask_ & ((1u << lane()) - 1))); }
  void sync(leap_place at = LEAP_HERE) const { __syncwarp(mask_, at); }
  int any(int predicate, leap_place at = LEAP_HERE) const {
    return __any_sync(mask_, predicate, at);
  }
  int all(int predicate, leap_place at = LEAP_HERE) const {
    return __all_sync(mask_, predicate, at);
  }
  unsigned ballot(int predicate, leap_place at = LEAP_HERE) const {
    return pack(__ballot_sync(mask_, predicate, at));
  }
  template <class T>
  unsigned match_any(T value, leap_place at = LEAP_HERE) const {
    return pack(__match_any_sync(mask_, value, at));
  }
  template <class T>
  T shfl(T value, unsigned rank, leap_place at = LEAP_HERE) const {
    return __shfl_sync(mask_, value, lane_of(rank), 32, at);
  }
  template <class T>
  T shfl_up(T value, unsigned delta, leap_place at = LEAP_HERE) const {
    const unsigned rank = thread_rank();
    return shfl(value, rank >= delta ? rank - delta : rank, at);
  }
  template <class T>
  T shfl_down(T value, unsigned delta, leap_place at = LEAP_HERE) const {
    const unsigned rank = thread_rank();
    return shfl(value, rank + delta < size() ? rank + delta : rank, at);
  }
  template <class T>
  T shfl_xor(T value, unsigned mask, leap_place at = LEAP_HERE) const {
    const unsigned other = thread_rank() ^ mask;
    return shfl(value, other < size() ? other : thread_rank(), at);
  }

 private:
  static unsigned lane() { return thread_block().thread_rank() % 32; }
  int lane_of(unsigned rank) const {
    unsigned rest = mask_;
    while (rank--) rest &= rest - 1;
    return __ffs(static_cast<int>(rest)) - 1;
  }
  // Bits of the warp become bits of the group.
  unsigned pack(unsigned warp_bits) const {
    unsigned result = 0, rank = 0;
    for (unsigned rest = mask_; rest; rest &= rest - 1, ++rank) {
      result |= (warp_bits >> __builtin_ctz(rest) & 1u) << rank;
    }
    return result;
  }
  unsigned mask_;
};

typedef LeapLanes coalesced_group;
inline coalesced_group coalesced_threads(leap_place at = LEAP_HERE) {
  return coalesced_group(__activemask(at));
}

template <unsigned N, class Parent = thread_block>
class thread_block_tile : public LeapLanes {
 public:
  static_assert(N >= 1 && N <= 32 && (N & (N - 1)) == 0, "a tile has 1, 2, 4, 8, 16 or 32 threads");
  thread_block_tile() : LeapLanes(mask()) {}
  static constexpr unsigned size() { return N; }
  static constexpr unsigned num_threads() { return N; }
  unsigned thread_rank() const { return thread_block().thread_rank() % N; }
  unsigned meta_group_rank() const { return thread_block().thread_rank() / N; }
  unsigned meta_group_size() const { return (thread_block().size() + N - 1) / N; }

 private:
  static unsigned mask() {
    const unsigned lane = thread_block().thread_rank() % 32;
    const unsigned all = N == 32 ? 0xffffffffu : (1u << N % 32) - 1;
    return all << lane / N * N;
  }
};

template <unsigned N, class Parent>
inline thread_block_tile<N, Parent> tiled_partition(const Parent&) {
  return {};
}

template <class Group>
inline void sync(const Group& group, leap_place at = LEAP_HERE) {
  group.sync(at);
}

}  // namespace cooperative_groups
