from __future__ import annotations

import asyncio

import pytest

from verifier_gpu.service.shared import Shared


async def test_all_waiters_get_the_result() -> None:
    runs = 0

    async def compute() -> int:
        nonlocal runs
        runs += 1
        await asyncio.sleep(0.01)
        return 7

    shared = Shared(compute())
    assert await asyncio.gather(shared.wait(), shared.wait()) == [7, 7]
    assert await shared.wait() == 7 and runs == 1


async def test_a_cancelled_waiter_disturbs_nobody() -> None:
    async def compute() -> int:
        await asyncio.sleep(0.02)
        return 7

    shared = Shared(compute())
    first, second = asyncio.ensure_future(shared.wait()), asyncio.ensure_future(shared.wait())
    await asyncio.sleep(0)
    first.cancel()
    assert await second == 7
    assert not shared.abandoned


async def test_the_last_waiters_cancellation_cancels_the_work() -> None:
    cancelled = asyncio.Event()

    async def compute() -> int:
        try:
            await asyncio.sleep(10)
        except asyncio.CancelledError:
            cancelled.set()
            raise
        return 7

    shared = Shared(compute())
    waiter = asyncio.ensure_future(shared.wait())
    await asyncio.sleep(0)
    waiter.cancel()
    await asyncio.gather(waiter, return_exceptions=True)
    await asyncio.wait_for(cancelled.wait(), 1)
    assert shared.abandoned


async def test_errors_reach_every_waiter() -> None:
    async def compute() -> int:
        raise ValueError("broken")

    shared = Shared(compute())
    for result in await asyncio.gather(shared.wait(), shared.wait(), return_exceptions=True):
        assert isinstance(result, ValueError)
    with pytest.raises(ValueError, match="broken"):
        await shared.wait()
