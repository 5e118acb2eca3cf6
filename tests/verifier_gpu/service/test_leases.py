from __future__ import annotations

import asyncio

import pytest

from protos.leap.verifier.v1 import verifier_pb2 as pb
from verifier_gpu.service import hardware
from verifier_gpu.service.hardware import Hardware
from verifier_gpu.service.leases import Leases

TWO = Hardware(gpus=(pb.Gpu(index=0), pb.Gpu(index=1)))


def test_the_gpu_with_the_fewest_users_is_chosen() -> None:
    leases = Leases(TWO)
    with leases.choose("cuda") as first, leases.choose("cuda") as second:
        assert {first, second} == {0, 1}
    with leases.choose("cpu") as none:
        assert none == 0


async def test_one_holder_a_gpu() -> None:
    leases, most, holders = Leases(TWO), 0, {0: 0, 1: 0}

    async def work() -> None:
        nonlocal most
        async with leases.hold("cuda") as gpu:
            holders[gpu] += 1
            most = max(most, holders[gpu])
            await asyncio.sleep(0.001)
            holders[gpu] -= 1

    await asyncio.gather(*(work() for _ in range(20)))
    assert most == 1


async def test_a_turn_may_be_given_up_and_taken_again() -> None:
    leases = Leases(TWO)
    turn, other = leases.turn("cuda", 0), leases.turn("cuda", 0)
    await turn.take()
    await turn.take()
    waiting = asyncio.ensure_future(other.take())
    await asyncio.sleep(0)
    assert not waiting.done()
    assert turn.release() and not turn.release()
    await waiting
    assert other.release()
    nothing = leases.turn("cpu", 0)
    await nothing.take()
    assert not nothing.release()


@pytest.mark.parametrize(
    ("value", "expected"),
    [("", [0, 1, 2]), ("1", [1]), ("2,0", [2, 0]), ("7", [0, 1, 2]), ("GPU-1234", [0, 1, 2])],
)
def test_visible_gpus(monkeypatch: pytest.MonkeyPatch, value: str, expected: list[int]) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", value)
    assert hardware._visible(3) == expected
