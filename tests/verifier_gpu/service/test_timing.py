"""Interleaved timing, with processes that answer after a chosen time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from verifier_gpu.service import timing
from verifier_gpu.service.record import Stop


class FakeReference:
    """Takes `milliseconds` a call, and says so."""

    def __init__(self, milliseconds: float) -> None:
        self._milliseconds = milliseconds
        self._answer: dict[str, Any] = {}

    async def send(self, message: dict[str, Any]) -> None:
        calls = message.get("calls", 0)
        self._answer = {"milliseconds": [self._milliseconds] * calls}
        await asyncio.sleep(calls * self._milliseconds / 1000)

    async def receive(self) -> dict[str, Any]:
        return self._answer


class FakeCandidate:
    """Takes `real` milliseconds a call, and says `claimed`."""

    def __init__(self, real: float, claimed: float) -> None:
        self._real, self._claimed = real, claimed

    async def time(self, draw: int, calls: int) -> list[float]:
        await asyncio.sleep(calls * self._real / 1000)
        return [self._claimed] * calls


async def measure(candidate: FakeCandidate, reference: FakeReference) -> timing.Timing:
    return await timing.measure(candidate, reference, {})  # type: ignore[arg-type]


async def test_speedup_of_honest_times() -> None:
    found = await measure(FakeCandidate(1.0, 1.0), FakeReference(4.0))
    assert found.median_ms == found.interval_low_ms == found.interval_high_ms == 1.0
    assert found.reference_median_ms == 4.0 and found.speedup == 4.0
    assert found.trials == 3 * timing._BATCH_CALLS  # nothing varies: settled at once


async def test_forged_times_contradict_the_wall_clock() -> None:
    with pytest.raises(Stop) as raised:
        await measure(FakeCandidate(real=20.0, claimed=0.01), FakeReference(1.0))
    assert raised.value.code == "REWARD_HACK"
