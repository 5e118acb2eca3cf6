"""CUDA on the CPU: a submission's CUDA C++ text, compiled by g++ and run as on a GPU.

The parts, in the order in which a submission meets them:

- ``rewrite`` replaces what g++ cannot parse (launches, shared memory) and puts a stub
  into every kernel; ``constructs`` names what is UNSUPPORTED, ``functions`` refuses calls
  between host and device that nvcc refuses. All three read ``tokens``.
- ``include/`` holds our ``cuda_runtime.h`` and its siblings.
- ``toolchain`` has the flags: ``-fsanitize=thread`` puts a callback before every memory
  access, and those callbacks are ours (``runtime/access.cpp``), not libtsan's.
- ``runtime/`` becomes ``libleap_emulator.so``: threads as fibers (``scheduler``), barriers,
  warps, device memory with a shadow (``memory``), data races (``race``), CUDA's limits
  (``launch``), the runtime API (``api*``).
- ``runtime`` (Python) frames each call with an order of blocks and threads and reports
  what the kernels did; ``lines`` finds the source line of a fault.

Launches run one after the other, blocks one after the other, and threads until they wait:
so kernels in which blocks wait for each other never end here. One process has one
device; only one operating-system thread at a time may launch.
"""
