// Atomic functions. One thread runs at a time and none is switched away inside
// one, so each is a checked read-modify-write.
#pragma once

#include "leap_kernel.h"

// No templates: each would be instantiated in every submission, called or not.
#define LEAP_ATOMIC(name, T, expression)                                         \
  LEAP_PLAIN static inline T name(T* address, T value, leap_place at = LEAP_HERE) { \
    leap_atomic_access(address, sizeof(T), at);                                  \
    const T old = *address;                                                      \
    *address = static_cast<T>(expression);                                       \
    return old;                                                                  \
  }                                                                              \
  static inline T name##_block(T* address, T value, leap_place at = LEAP_HERE) { return name(address, value, at); } \
  static inline T name##_system(T* address, T value, leap_place at = LEAP_HERE) { return name(address, value, at); }

#define LEAP_ATOMIC_INTEGERS(name, expression)        \
  LEAP_ATOMIC(name, int, expression)                  \
  LEAP_ATOMIC(name, unsigned int, expression)         \
  LEAP_ATOMIC(name, unsigned long long int, expression)

LEAP_ATOMIC(atomicAdd, int, static_cast<unsigned>(old) + static_cast<unsigned>(value))
LEAP_ATOMIC(atomicAdd, unsigned int, old + value)
LEAP_ATOMIC(atomicAdd, unsigned long long int, old + value)
LEAP_ATOMIC(atomicAdd, float, old + value)
LEAP_ATOMIC(atomicAdd, double, old + value)
LEAP_ATOMIC(atomicSub, int, static_cast<unsigned>(old) - static_cast<unsigned>(value))
LEAP_ATOMIC(atomicSub, unsigned int, old - value)
LEAP_ATOMIC_INTEGERS(atomicExch, (static_cast<void>(old), value))
LEAP_ATOMIC(atomicExch, float, (static_cast<void>(old), value))
LEAP_ATOMIC_INTEGERS(atomicMin, old < value ? old : value)
LEAP_ATOMIC(atomicMin, long long int, old < value ? old : value)
LEAP_ATOMIC_INTEGERS(atomicMax, old > value ? old : value)
LEAP_ATOMIC(atomicMax, long long int, old > value ? old : value)
LEAP_ATOMIC_INTEGERS(atomicAnd, old & value)
LEAP_ATOMIC_INTEGERS(atomicOr, old | value)
LEAP_ATOMIC_INTEGERS(atomicXor, old ^ value)
LEAP_ATOMIC(atomicInc, unsigned int, old >= value ? 0 : old + 1)
LEAP_ATOMIC(atomicDec, unsigned int, old == 0 || old > value ? value : old - 1)
#undef LEAP_ATOMIC_INTEGERS
#undef LEAP_ATOMIC

#define LEAP_CAS(T)                                                              \
  LEAP_PLAIN static inline T atomicCAS(T* address, T compare, T value, leap_place at = LEAP_HERE) { \
    leap_atomic_access(address, sizeof(T), at);                                  \
    const T old = *address;                                                      \
    *address = old == compare ? value : old;                                     \
    return old;                                                                  \
  }
LEAP_CAS(int)
LEAP_CAS(unsigned int)
LEAP_CAS(unsigned long long int)
LEAP_CAS(unsigned short int)
#undef LEAP_CAS
