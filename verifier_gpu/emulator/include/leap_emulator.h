// The C interface of libleap_emulator.so.
//
// Three parties use it: the CUDA headers beside this file (compiled into every
// submission), the slim torch header (allocations, streams), and runtime.py
// (ctypes). Everything is extern "C", so that one prebuilt library serves all.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// ---- Device memory ---------------------------------------------------------
// Allocations are aligned to 256 bytes, lie between red zones of 64 KiB
// and are filled with the poison of the current call. Any access of a
// kernel outside [p, p + nbytes) is a fault.

// Returns the address, or NULL when the emulated device has no room left.
// nbytes == 0 returns NULL, as cudaMalloc does.
void* leap_device_alloc(size_t nbytes);
// Returns 0, or -1 if p is not the start of a live allocation. NULL is fine.
int leap_device_free(void* p);
// 1 if p lies inside a live device allocation.
int leap_is_device_pointer(const void* p);
// 1 if all of [p, p + nbytes) lies inside one live device allocation.
int leap_device_range_valid(const void* p, size_t nbytes);
// Bytes in live allocations, and the size of the emulated device memory.
void leap_device_memory(size_t* used, size_t* total);

// ---- One judged call --------------------------------------------------------
enum leap_order { LEAP_FORWARD = 0, LEAP_REVERSE = 1, LEAP_SHUFFLE = 2 };

// Starts a call: clears fault, errors and counters, sets the order in which
// blocks and threads run, and the poison (a NaN in every float format for the
// forward order; huge numbers of both signs for the others).
void leap_begin_call(int order, uint64_t seed);

struct leap_place {  // a place in the submission's source
  const char* file;
  int line;
};

struct leap_fault {
  const char* code;     // NULL: no fault. Otherwise a name from fault.h
  const char* message;  // one sentence
  const char* kernel;
  const char* space;    // "global", "shared", "host", ... or ""
  unsigned block[3];
  unsigned thread[3];
  const void* address;  // the address accessed, or NULL
  struct leap_place at;  // where the header knows it, else NULL and 0
  const char* module;   // the shared object with the faulting statement, or NULL,
  uint64_t offset;      // and the offset of one of its instructions
};

struct leap_report {
  uint64_t kernels_launched;  // launches that ran, calls of CUDA's libraries included
  int last_launch_error;      // cudaError_t of the first refused launch, or 0
  const char* launch_error;   // one sentence about it, or ""
  const char* printf_text;    // what device code printed, cut at 64 KiB
  struct leap_fault fault;
  struct leap_fault unwritten;  // the first read of memory that nobody wrote: a GPU goes on
  const char* library_calls;  // routines of CUDA's libraries that ran: "cublasSgemm, ..."
};
// What the error says that the call leaves for the next check to find, or "". A launch
// of the call may have made it.
const char* leap_untaken_error(int* of_launch);
// Ends the call. Pointers in the report live until the next leap_begin_call.
void leap_end_call(struct leap_report* report);

// ---- Called by the rewritten text and the CUDA headers ----------------------
struct leap_shared_slot {  // one __shared__ declaration of one kernel instance
  struct leap_place at;
  void* address;
  uint64_t launch;  // serial numbers of the launch and block that touched it last
  uint64_t block;
};

void leap_launch_kernel(const char* name, const void* key, void (*body)(const void*),
                        const void* closure, size_t closure_size);
void leap_push_configuration(const unsigned grid[3], const unsigned block[3], size_t shared_bytes,
                             const void* stream);
void leap_bound_launch(unsigned most_threads);  // of the kernel that is launched next
int leap_only_asking(void);  // a kernel is called for what it says before its launch
void* leap_shared_static(struct leap_shared_slot* slot, size_t nbytes);
void* leap_shared_dynamic(void);
extern void* leap_shared_dynamic_pointer;  // the same, for declarations at namespace scope

enum leap_barrier_kind { LEAP_SYNC = 0, LEAP_SYNC_COUNT = 1, LEAP_SYNC_AND = 2, LEAP_SYNC_OR = 3 };
int leap_barrier(int kind, int predicate, struct leap_place at);

enum leap_warp_kind {
  LEAP_WARP_SYNC,
  LEAP_SHFL_IDX,
  LEAP_SHFL_UP,
  LEAP_SHFL_DOWN,
  LEAP_SHFL_XOR,
  LEAP_VOTE_ALL,
  LEAP_VOTE_ANY,
  LEAP_VOTE_UNI,
  LEAP_BALLOT,
  LEAP_MATCH_ANY,
  LEAP_MATCH_ALL,
  LEAP_REDUCE_ADD,
  LEAP_REDUCE_MIN_S,
  LEAP_REDUCE_MAX_S,
  LEAP_REDUCE_MIN_U,
  LEAP_REDUCE_MAX_U,
  LEAP_REDUCE_AND,
  LEAP_REDUCE_OR,
  LEAP_REDUCE_XOR,
  LEAP_ACTIVE_MASK,
  LEAP_WARP_MEET  // `value` is the address of a leap_meeting; all 32 lanes have to come
};
struct leap_meeting {
  void (*work)(struct leap_meeting* const* lanes);  // called once, with those of all 32 lanes
};
// Waits for the lanes of `mask`, exchanges, and returns this lane's result.
uint64_t leap_warp(int kind, unsigned mask, uint64_t value, int argument, int width,
                   struct leap_place at);

// Where a warp loads or stores a matrix together: waits for all 32 lanes, whose arguments
// must be the same and aligned, and returns this lane's number.
unsigned leap_meet_at_matrix(const void* p, unsigned leading, int row_major, size_t element,
                             struct leap_place at);

// Checks an access that the caller then performs without callbacks.
void leap_access(const void* p, size_t nbytes, int write, struct leap_place at);
// Checks an atomic access; the caller then performs it (one thread runs at a time).
void leap_atomic_access(const void* p, size_t nbytes, struct leap_place at);
// __threadfence and its variants.
void leap_fence(void);
// The device's clock.
long long leap_ticks(void);
// These end the running kernel with a fault and never return inside a kernel.
void leap_host_function(const char* name, struct leap_place at);  // a kernel called it
void leap_device_trap(const char* message, struct leap_place at);

#ifdef __cplusplus
}
#endif
