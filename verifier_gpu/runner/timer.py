"""Times calls on a GPU: cold L2, fresh addresses, every stream waited for.

The judge's own process and the candidate's run the same code. What the
candidate's reports is checked from outside (`judge.timing.believable`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch

#: Copies of the inputs that calls take in turn, so that no address repeats at once.
_COPIES = 4
#: An event's time is replaced by the wall clock's when it is this much shorter:
#: then work went past it, on another stream or later.
_WALL_FACTOR, _WALL_SLACK_MS = 1.5, 0.5


class Timer:
    """Times one function on copies of one set of inputs.

    Args:
        forward: called with the inputs; returns tensors.
        make_inputs: a fresh copy of the inputs on the device.
    """

    def __init__(self, forward: Callable[..., Any], make_inputs: Callable[[], list[Any]]) -> None:
        self._forward = forward
        self._copies = [make_inputs() for _ in range(_COPIES)]
        properties = torch.cuda.get_device_properties(0)
        flush_bytes = 2 * max(int(getattr(properties, "L2_cache_size", 0)), 32 << 20)
        self._flush = torch.empty(flush_bytes, dtype=torch.uint8, device="cuda")
        self._calls = 0

    def batch(self, calls: int) -> list[float]:
        """Milliseconds of each of `calls` calls."""
        return [self._once() for _ in range(calls)]

    def _once(self) -> float:
        inputs = self._copies[self._calls % _COPIES]
        self._calls += 1
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        self._flush.zero_()
        torch.cuda.synchronize()
        begun = time.perf_counter()
        start.record()
        with torch.no_grad():
            result = self._forward(*inputs)
        end.record()
        torch.cuda.synchronize()
        wall = 1000 * (time.perf_counter() - begun)
        device = start.elapsed_time(end)
        del result
        return device if wall <= _WALL_FACTOR * device + _WALL_SLACK_MS else wall
