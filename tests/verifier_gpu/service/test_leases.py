from __future__ import annotations

import asyncio

import pytest

from protos.leap.verifier.v1 import verifier_pb2 as pb
from verifier_gpu.service import hardware
from verifier_gpu.service.hardware import Hardware
from verifier_gpu.service.leases import SHARES, Leases

TWO = Hardware(gpus=(pb.Gpu(index=0), pb.Gpu(index=1)))


def test_the_gpu_with_the_fewest_users_is_chosen() -> None:
    leases = Leases(TWO)
    with leases.choose("cuda") as first, leases.choose("cuda") as second:
        assert {first, second} == {0, 1}
    with leases.choose("cpu") as none:
        assert none == 0


async def test_a_gpu_has_so_many_users_and_no_more() -> None:
    leases, most, holders = Leases(TWO), 0, {0: 0, 1: 0}

    async def work() -> None:
        nonlocal most
        async with leases.hold("cuda") as gpu:
            holders[gpu] += 1
            most = max(most, holders[gpu])
            await asyncio.sleep(0.001)
            holders[gpu] -= 1

    await asyncio.gather(*(work() for _ in range(10 * SHARES)))
    assert most == SHARES


async def test_what_is_timed_is_alone() -> None:
    leases = Leases(Hardware(gpus=(pb.Gpu(index=0),)))
    computing = timing = timed = 0

    async def work(is_timed: bool) -> None:
        nonlocal computing, timing, timed
        turn = leases.turn("cuda", 0)
        await turn.take()
        computing += 1
        await asyncio.sleep(0.001)
        assert not timing
        computing -= 1
        if is_timed:
            await turn.take_alone()
            await turn.take_alone()
            assert not computing and not timing
            timing += 1
            await asyncio.sleep(0.001)
            timing -= 1
            timed += 1
        assert turn.release()

    await asyncio.wait_for(asyncio.gather(*(work(k % 3 == 0) for k in range(60))), 20)
    assert timed == 20


async def test_who_gives_up_waiting_to_be_alone_leaves_nothing_held() -> None:
    leases = Leases(Hardware(gpus=(pb.Gpu(index=0),)))
    user, timed = leases.turn("cuda", 0), leases.turn("cuda", 0)
    await user.take()
    waiting = asyncio.ensure_future(timed.take_alone())
    await asyncio.sleep(0)
    assert not waiting.done()
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    timed.release()
    user.release()
    await asyncio.wait_for(leases.turn("cuda", 0).take_alone(), 1)


async def test_a_turn_may_be_given_up_and_taken_again() -> None:
    leases = Leases(TWO)
    turn, other = leases.turn("cuda", 0), leases.turn("cuda", 0)
    await turn.take()
    await turn.take()
    assert turn.release() and not turn.release()
    await other.take()
    assert other.release()
    nothing = leases.turn("cpu", 0)
    await nothing.take()
    await nothing.take_alone()
    assert not nothing.release()


@pytest.mark.parametrize(
    ("value", "expected"),
    [("", [0, 1, 2]), ("1", [1]), ("2,0", [2, 0]), ("7", [0, 1, 2]), ("GPU-1234", [0, 1, 2])],
)
def test_visible_gpus(monkeypatch: pytest.MonkeyPatch, value: str, expected: list[int]) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
    assert hardware._visible(3) == expected
