from __future__ import annotations

import asyncio

import pytest

from verifier_gpu.service.scheduler import QueueFull, Scheduler


async def run(
    scheduler: Scheduler, order: list[str], name: str, client: str, priority: int
) -> None:
    async with scheduler.slot(client, priority):
        order.append(name)
        await asyncio.sleep(0)


async def started(*jobs: tuple[str, str, int], slots: int = 1) -> list[str]:
    """The order in which jobs (name, client, priority) run behind one that holds the slot."""
    scheduler, order = Scheduler(slots, 100), []
    async with scheduler.slot("first", 0):
        tasks = [asyncio.ensure_future(run(scheduler, order, *job)) for job in jobs]
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    assert scheduler.depth == 0
    return order


async def test_clients_take_turns() -> None:
    jobs = [("a1", "a", 0), ("a2", "a", 0), ("a3", "a", 0), ("b1", "b", 0), ("c1", "c", 0)]
    assert await started(*jobs) == ["a1", "b1", "c1", "a2", "a3"]


async def test_higher_priorities_first() -> None:
    assert await started(("low", "a", -1), ("mid", "a", 0), ("high", "a", 5)) == [
        "high",
        "mid",
        "low",
    ]


async def test_the_queue_is_bounded() -> None:
    scheduler = Scheduler(1, 2)
    async with scheduler.slot("a", 0):
        waiting = asyncio.ensure_future(run(scheduler, [], "x", "a", 0))
        await asyncio.sleep(0)
        assert scheduler.depth == 2
        with pytest.raises(QueueFull):
            async with scheduler.slot("a", 0):
                pass
        with pytest.raises(QueueFull):
            scheduler.check_room(1)
    await waiting


async def test_cancelled_waiters_give_their_turn_away() -> None:
    scheduler, order = Scheduler(1, 10), []
    async with scheduler.slot("first", 0):
        tasks = [
            asyncio.ensure_future(run(scheduler, order, name, name, 0)) for name in ("a", "b", "c")
        ]
        await asyncio.sleep(0)
        tasks[0].cancel()
    tasks[1].cancel()  # in the moment in which the slot is handed over
    await asyncio.gather(*tasks, return_exceptions=True)
    assert order == ["c"] or order == ["b", "c"]
    async with scheduler.slot("later", 0):
        assert scheduler.depth == 1


async def test_slots_run_at_once() -> None:
    scheduler = Scheduler(3, 10)
    running = most = 0

    async def job() -> None:
        nonlocal running, most
        async with scheduler.slot("a", 0):
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.01)
            running -= 1

    await asyncio.gather(*(job() for _ in range(10)))
    assert most == 3
