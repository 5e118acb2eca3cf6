"""The zygote and its children: they start, are watched, and leave nothing behind."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from verifier_gpu.runner.channel import ChannelError
from verifier_gpu.runner.limits import Limits
from verifier_gpu.service.judges import Judges
from verifier_gpu.service.processes import OUTPUT_CAP, Output, WorkerLost, Zygote

PARSE = {"op": "parse", "format": "cuda", "source": "forward"}


@pytest.fixture
async def zygote() -> AsyncIterator[Zygote]:
    started = Zygote()
    await started.start()
    yield started
    await started.stop()


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


async def test_a_child_answers_and_ends(zygote: Zygote) -> None:
    child = await zygote.spawn("judge", Limits(), lane=True)
    await child.send(PARSE)
    assert (await child.receive())["code"] is None
    exit_ = await child.close()
    assert exit_.signal == signal.SIGKILL and not exit_.lost
    assert not alive(child.pid)


async def test_a_cancelled_spawn_leaves_no_child(zygote: Zygote) -> None:
    for delay in (0.0, 0.001, 0.01):
        spawning = asyncio.ensure_future(zygote.spawn("judge", Limits(), lane=True))
        await asyncio.sleep(delay)
        if not spawning.done():
            spawning.cancel()
        await asyncio.gather(spawning, return_exceptions=True)
        if not spawning.cancelled():
            await spawning.result().close()
    assert zygote._process is not None
    pid = zygote._process.pid
    children = Path(f"/proc/{pid}/task/{pid}/children")
    for _ in range(50):
        if not children.read_text().split():
            return
        await asyncio.sleep(0.05)
    raise AssertionError("a child was left behind")


async def test_the_death_of_the_zygote_loses_its_children_and_another_starts(
    zygote: Zygote,
) -> None:
    child = await zygote.spawn("judge", Limits(), lane=True)
    assert zygote._process is not None
    os.kill(zygote._process.pid, signal.SIGKILL)
    with pytest.raises(ChannelError):
        await child.receive()
    assert (await child.close()).lost
    judges = Judges(zygote)
    assert (await judges.ask(PARSE))["code"] is None
    await judges.close()


async def test_a_judge_that_dies_is_replaced(zygote: Zygote) -> None:
    judges = Judges(zygote)
    await judges.ask(PARSE)
    os.kill(judges._idle[0].pid, signal.SIGKILL)
    await asyncio.sleep(0.2)
    assert (await judges.ask(PARSE))["code"] is None
    with pytest.raises(WorkerLost):
        await judges.ask({"no": "operation"})
    assert (await judges.ask(PARSE))["code"] is None
    await judges.close()


def test_output_keeps_beginning_and_end() -> None:
    output = Output()
    output.add(b"begin")
    for _ in range(100):
        output.add(b"x" * 1000)
    output.add(b"end \xff")
    text = output.text()
    assert text.startswith("begin") and "end" in text and "bytes ..." in text
    assert len(text) < 2 * OUTPUT_CAP + 100
