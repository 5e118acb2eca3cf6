// What -fsanitize=thread makes of C++ atomics (std::atomic, std::shared_ptr,
// guards of static locals): the operation itself, and a check in kernels.

#include "state.h"

extern "C" {

#define LEAP_CXX_ATOMIC(bits, T)                                                              \
  T __tsan_atomic##bits##_load(const volatile T* p, int) {                                    \
    leap_atomic_access(const_cast<const T*>(p), sizeof(T), {nullptr, 0});                     \
    return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                              \
  }                                                                                           \
  void __tsan_atomic##bits##_store(volatile T* p, T value, int) {                             \
    leap_atomic_access(const_cast<const T*>(p), sizeof(T), {nullptr, 0});                     \
    __atomic_store_n(p, value, __ATOMIC_SEQ_CST);                                             \
  }                                                                                           \
  T __tsan_atomic##bits##_exchange(volatile T* p, T value, int) {                             \
    leap_atomic_access(const_cast<const T*>(p), sizeof(T), {nullptr, 0});                     \
    return __atomic_exchange_n(p, value, __ATOMIC_SEQ_CST);                                   \
  }                                                                                           \
  LEAP_CXX_FETCH(bits, T, add)                                                                \
  LEAP_CXX_FETCH(bits, T, sub)                                                                \
  LEAP_CXX_FETCH(bits, T, and)                                                                \
  LEAP_CXX_FETCH(bits, T, or)                                                                 \
  LEAP_CXX_FETCH(bits, T, xor)                                                                \
  LEAP_CXX_FETCH(bits, T, nand)                                                               \
  int __tsan_atomic##bits##_compare_exchange_strong(volatile T* p, T* expected, T value, int, \
                                                    int) {                                    \
    leap_atomic_access(const_cast<const T*>(p), sizeof(T), {nullptr, 0});                     \
    return __atomic_compare_exchange_n(p, expected, value, false, __ATOMIC_SEQ_CST,           \
                                       __ATOMIC_SEQ_CST);                                     \
  }                                                                                           \
  int __tsan_atomic##bits##_compare_exchange_weak(volatile T* p, T* expected, T value, int,   \
                                                  int) {                                      \
    leap_atomic_access(const_cast<const T*>(p), sizeof(T), {nullptr, 0});                     \
    return __atomic_compare_exchange_n(p, expected, value, true, __ATOMIC_SEQ_CST,            \
                                       __ATOMIC_SEQ_CST);                                     \
  }
#define LEAP_CXX_FETCH(bits, T, name)                                        \
  T __tsan_atomic##bits##_fetch_##name(volatile T* p, T value, int) {        \
    leap_atomic_access(const_cast<const T*>(p), sizeof(T), {nullptr, 0});    \
    return __atomic_fetch_##name(p, value, __ATOMIC_SEQ_CST);                \
  }

LEAP_CXX_ATOMIC(8, unsigned char)
LEAP_CXX_ATOMIC(16, unsigned short)
LEAP_CXX_ATOMIC(32, unsigned int)
LEAP_CXX_ATOMIC(64, unsigned long)

void __tsan_atomic_thread_fence(int) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
void __tsan_atomic_signal_fence(int) {}
}
