// Cooperative groups: the thread block, tiles of a warp, coalesced threads.
#pragma once

#include "cuda_runtime.h"

namespace cooperative_groups {

// Any group: the lanes of a mask in the running thread's warp, or (mask 0) its whole block.
class thread_group {
 public:
  unsigned size() const {
    return mask_ ? static_cast<unsigned>(__popc(mask_)) : blockDim.x * blockDim.y * blockDim.z;
  }
  unsigned num_threads() const { return size(); }
  unsigned thread_rank() const {
    return mask_ ? static_cast<unsigned>(__popc(mask_ & ((1u << lane()) - 1))) : rank_in_block();
  }
  void sync(leap_place at = LEAP_HERE) const {
    if (mask_) return __syncwarp(mask_, at);
    __syncthreads(at);
  }

 protected:
  explicit thread_group(unsigned mask) : mask_(mask) {}
  static unsigned rank_in_block() {
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  }
  static unsigned lane() { return rank_in_block() % 32; }
  // The lanes of the tile of n lanes that this thread is in; the group is cut in order of ranks.
  unsigned tile_mask(unsigned n) const {
    const unsigned all = mask_ ? mask_ : ~0u;
    const unsigned tile = static_cast<unsigned>(__popc(all & ((1u << lane()) - 1))) / n;
    unsigned tiled = 0, rank = 0;
    for (unsigned rest = all; rest; rest &= rest - 1, ++rank) {
      if (rank / n == tile) tiled |= rest & -rest;
    }
    return tiled;
  }
  friend thread_group tiled_partition(const thread_group& parent, unsigned n);
  unsigned mask_;
};
inline thread_group tiled_partition(const thread_group& parent, unsigned n) {
  return thread_group(parent.tile_mask(n));
}

class thread_block : public thread_group {
 public:
  thread_block() : thread_group(0) {}
  static void sync(leap_place at = LEAP_HERE) { __syncthreads(at); }
  static unsigned thread_rank() { return rank_in_block(); }
  static unsigned size() { return blockDim.x * blockDim.y * blockDim.z; }
  static unsigned num_threads() { return size(); }
  static dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static dim3 thread_index() { return dim3(threadIdx.x, threadIdx.y, threadIdx.z); }
  static dim3 group_dim() { return blockDim; }
  static dim3 dim_threads() { return blockDim; }
};
inline thread_block this_thread_block() { return {}; }

// What groups within a warp can do. `rank` counts the group's members.
class LeapLanes : public thread_group {
 public:
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
  unsigned match_all(T value, int& predicate, leap_place at = LEAP_HERE) const {
    return pack(__match_all_sync(mask_, value, &predicate, at));
  }
  template <class T>
  T shfl(T value, unsigned rank, leap_place at = LEAP_HERE) const {
    return from_lane(value, lane_of(rank), at);
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

 protected:
  using thread_group::thread_group;
  // Values of any size travel in pieces of 8 bytes.
  template <class T>
  T from_lane(T value, int lane, leap_place at) const {
    uint64_t pieces[(sizeof(T) + 7) / 8] = {};
    __builtin_memcpy(pieces, &value, sizeof(T));
    for (uint64_t& piece : pieces) {
      piece = leap_warp(LEAP_SHFL_IDX, mask_, piece, lane, 32, at);
    }
    __builtin_memcpy(&value, pieces, sizeof(T));
    return value;
  }
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
};

class coalesced_group : public LeapLanes {
 public:
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }

 private:
  coalesced_group(unsigned mask, unsigned meta_rank, unsigned meta_size)
      : LeapLanes(mask), meta_rank_(meta_rank), meta_size_(meta_size) {}
  friend coalesced_group coalesced_threads(leap_place at);
  friend coalesced_group tiled_partition(const coalesced_group& parent, unsigned n);
  friend struct LeapPartition;
  unsigned meta_rank_, meta_size_;
};
inline coalesced_group coalesced_threads(leap_place at = LEAP_HERE) {
  return coalesced_group(__activemask(at), 0, 1);
}
inline coalesced_group tiled_partition(const coalesced_group& parent, unsigned n) {
  return coalesced_group(parent.tile_mask(n), parent.thread_rank() / n, (parent.size() + n - 1) / n);
}

template <unsigned N, class Parent = void>
class thread_block_tile;

// A tile, whatever it was cut from.
template <unsigned N>
class thread_block_tile<N, void> : public LeapLanes {
 public:
  static_assert(N <= 32, "leap::multi_warp_tiles are not emulated");
  static_assert(N >= 1 && (N & (N - 1)) == 0, "Size must be one of 1/2/4/8/16/32");
  static constexpr unsigned size() { return N; }
  static constexpr unsigned num_threads() { return N; }
  static unsigned thread_rank() { return rank_in_block() % N; }
  unsigned meta_group_rank() const { return meta_rank_; }
  unsigned meta_group_size() const { return meta_size_; }
  template <class T>
  T shfl(T value, int rank, leap_place at = LEAP_HERE) const {
    return from_lane(value, lane_of(static_cast<unsigned>(rank) % N), at);
  }
  template <class T>
  T shfl_xor(T value, unsigned mask, leap_place at = LEAP_HERE) const {
    const unsigned other = thread_rank() ^ mask;
    return shfl(value, other < N ? other : thread_rank(), at);
  }

 protected:
  thread_block_tile(unsigned meta_rank, unsigned meta_size)
      : LeapLanes((N == 32 ? ~0u : (1u << N % 32) - 1) << lane() / N * N),
        meta_rank_(meta_rank),
        meta_size_(meta_size) {}
  unsigned meta_rank_, meta_size_;
};

template <unsigned N, class Parent>
class thread_block_tile : public thread_block_tile<N, void> {
 public:
  explicit thread_block_tile(const Parent&)
      : thread_block_tile<N, void>(Parent::thread_rank() / N, (Parent::size() + N - 1) / N) {}
};

template <unsigned N, class Parent>
inline thread_block_tile<N, Parent> tiled_partition(const Parent& parent) {
  return thread_block_tile<N, Parent>(parent);
}
inline thread_block_tile<1> this_thread() {
  return tiled_partition<1>(this_thread_block());
}

struct LeapPartition : LeapLanes {
  // The lanes of a tile or coalesced group that gave the same label; parts are numbered in
  // the order of their first lanes, those of two predicates by the predicate.
  template <class T>
  static coalesced_group labeled(const LeapLanes& lanes, T label, leap_place at) {
    const LeapPartition& group = static_cast<const LeapPartition&>(lanes);
    const unsigned same = __match_any_sync(group.mask_, label, at);
    const unsigned first = static_cast<unsigned>(__ffs(static_cast<int>(same)) - 1);
    const unsigned leaders = __ballot_sync(group.mask_, first == lane(), at);
    const int rank = __popc(leaders & ((1u << first) - 1));
    return coalesced_group(same, static_cast<unsigned>(rank), static_cast<unsigned>(__popc(leaders)));
  }
  static coalesced_group binary(const LeapLanes& lanes, bool predicate, leap_place at) {
    const LeapPartition& group = static_cast<const LeapPartition&>(lanes);
    const unsigned set = __ballot_sync(group.mask_, predicate, at);
    if (set == 0 || set == group.mask_) return coalesced_group(group.mask_, 0, 1);
    return coalesced_group(predicate ? set : group.mask_ & ~set, predicate, 2);
  }
};
template <class T>
inline coalesced_group labeled_partition(const LeapLanes& group, T label,
                                         leap_place at = LEAP_HERE) {
  return LeapPartition::labeled(group, label, at);
}
inline coalesced_group labeled_partition(const LeapLanes& group, bool label,
                                         leap_place at = LEAP_HERE) {
  return LeapPartition::binary(group, label, at);
}
inline coalesced_group binary_partition(const LeapLanes& group, bool predicate,
                                        leap_place at = LEAP_HERE) {
  return LeapPartition::binary(group, predicate, at);
}

template <class Group>
inline void sync(const Group& group, leap_place at = LEAP_HERE) {
  group.sync(at);
}
template <class Group>
inline unsigned thread_rank(const Group& group) {
  return group.thread_rank();
}
template <class Group>
inline unsigned group_size(const Group& group) {
  return group.size();
}

}  // namespace cooperative_groups
