// cooperative_groups::reduce over tiles and coalesced groups.
#pragma once

#include "../cooperative_groups.h"

namespace cooperative_groups {

#define LEAP_OPERATION(name, expression)      \
  template <class T>                          \
  struct name {                               \
    T operator()(T x, T y) const { return expression; } \
  };
LEAP_OPERATION(plus, x + y)
LEAP_OPERATION(less, y < x ? y : x)
LEAP_OPERATION(greater, x < y ? y : x)
LEAP_OPERATION(bit_and, x & y)
LEAP_OPERATION(bit_or, x | y)
LEAP_OPERATION(bit_xor, x ^ y)
#undef LEAP_OPERATION

template <class Group, class T, class Operation>
inline T reduce(const Group& group, T value, Operation operation, leap_place at = LEAP_HERE) {
  T result = group.shfl(value, 0, at);
  for (unsigned rank = 1; rank < group.size(); ++rank) {
    result = operation(result, group.shfl(value, rank, at));
  }
  return result;
}

}  // namespace cooperative_groups
