"""Temporary buffers of XLA's CPU backend, kept instead of returned and asked for again."""

from __future__ import annotations

import ctypes

import jax

_M_TRIM_THRESHOLD, _M_MMAP_MAX, _M_ARENA_MAX = -1, -4, -8  # malloc.h of glibc


def keep_freed_memory() -> None:
    """Lets this process keep the memory that it frees, where jax computes on the CPU.

    XLA allocates an execution's buffers anew each time. glibc takes large ones
    from the kernel and gives them back, so that every training step touches
    tens of thousands of fresh pages: a fifth to a third of its CPU time. Does
    nothing where the C library is another one.
    """
    if jax.default_backend() != "cpu":
        return
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(_M_MMAP_MAX, 0)
        mallopt(_M_TRIM_THRESHOLD, 2**31 - 1)
        mallopt(_M_ARENA_MAX, 1)
