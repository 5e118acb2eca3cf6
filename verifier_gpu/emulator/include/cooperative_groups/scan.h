// cooperative_groups::inclusive_scan and exclusive_scan over tiles.
#pragma once

#include "reduce.h"

namespace cooperative_groups {

template <class Group, class T, class Operation = plus<T>>
inline T inclusive_scan(const Group& group, T value, Operation operation = {},
                        leap_place at = LEAP_HERE) {
  T result = value;
  for (unsigned delta = 1; delta < group.size(); delta *= 2) {
    const T other = group.shfl_up(result, delta, at);
    if (group.thread_rank() >= delta) result = operation(other, result);
  }
  return result;
}

template <class Group, class T, class Operation = plus<T>>
inline T exclusive_scan(const Group& group, T value, Operation operation = {},
                        leap_place at = LEAP_HERE) {
  const T inclusive = inclusive_scan(group, value, operation, at);
  const T before = group.shfl_up(inclusive, 1, at);
  return group.thread_rank() == 0 ? T() : before;
}

}  // namespace cooperative_groups
