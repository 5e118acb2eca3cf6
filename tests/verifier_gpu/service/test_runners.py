"""Processes that wait for submissions."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from protos.leap.verifier.v1 import verifier_pb2 as pb
from verifier_gpu.build import toolchain
from verifier_gpu.build.toolchain import Libraries
from verifier_gpu.service.config import ServiceConfig
from verifier_gpu.service.hardware import Hardware
from verifier_gpu.service.leases import Leases
from verifier_gpu.service.processes import WorkerLost, Zygote
from verifier_gpu.service.references import GpuUnhealthy
from verifier_gpu.service.runners import Place, Runners


@dataclass
class Stage:
    runners: Runners
    leases: Leases
    place: Place  # on the cpu target

    def ready(self) -> list[int]:
        """The processes that wait, by name."""
        return [
            int(path.parent.name)
            for path in Path("/proc").glob("[0-9]*/comm")
            if path.read_text().strip() == "leap-ready" and _is_ours(path.parent)
        ]

    async def settle(self, count: int) -> list[int]:
        for _ in range(100):
            with contextlib.suppress(OSError):
                found = self.ready()
                if len(found) == count:
                    return found
            await asyncio.sleep(0.05)
        raise AssertionError(f"{self.ready()} are ready, expected {count}")


def _is_ours(process: Path) -> bool:
    """Whether the process is a grandchild of this one: a child of its zygote."""
    parent = int((process / "stat").read_text().rsplit(")", 1)[1].split()[1])
    line = Path(f"/proc/{parent}/stat").read_text()
    return int(line.rsplit(")", 1)[1].split()[1]) == os.getpid()


@pytest.fixture(scope="module")
def libraries(tmp_path_factory: pytest.TempPathFactory) -> Libraries:
    return toolchain.libraries(tmp_path_factory.mktemp("libraries"), "cpu")


@pytest.fixture
async def stage(libraries: Libraries) -> AsyncIterator[Stage]:
    zygote = Zygote()
    await zygote.start()
    leases = Leases(Hardware(gpus=(pb.Gpu(index=0),)))
    runners = Runners(ServiceConfig(ready_runners=2), zygote, leases)
    yield Stage(runners, leases, Place("cpu", 0, libraries))
    await runners.close()
    await zygote.stop()


async def test_as_many_wait_as_are_wanted(stage: Stage) -> None:
    stage.runners.prepare(stage.place)
    waiting = await stage.settle(2)
    child = await stage.runners.take(stage.place)
    assert child.pid in waiting
    assert await stage.settle(3)  # the taken one has had no job yet
    await child.close()
    assert child.pid not in await stage.settle(2)


async def test_each_submission_has_a_process_of_its_own(stage: Stage) -> None:
    children = await asyncio.gather(*(stage.runners.take(stage.place) for _ in range(7)))
    assert len({child.pid for child in children}) == 7
    for child in children:
        await child.close()


async def test_one_that_died_waiting_is_not_handed_out(stage: Stage) -> None:
    stage.runners.prepare(stage.place)
    for pid in await stage.settle(2):
        os.kill(pid, signal.SIGKILL)
    await asyncio.sleep(0.3)
    child = await stage.runners.take(stage.place)
    assert not child.exited.done()
    await child.close()


async def test_who_gives_up_waiting_takes_none(stage: Stage) -> None:
    taking = asyncio.ensure_future(stage.runners.take(stage.place))
    await asyncio.sleep(0)
    taking.cancel()
    await asyncio.gather(taking, return_exceptions=True)
    stage.runners.prepare(stage.place)
    assert len(await stage.settle(3)) == 3  # what was started for it serves the next


async def test_none_is_prepared_while_a_gpu_is_held_alone(stage: Stage) -> None:
    timing = stage.leases.turn("cuda", 0)
    await timing.take_alone()
    taking = asyncio.ensure_future(stage.runners.take(Place("cuda", 0, stage.place.libraries)))
    await asyncio.sleep(0.5)
    assert not taking.done() and not stage.ready()
    timing.release()
    with contextlib.suppress(GpuUnhealthy):  # there may be no GPU here
        await (await taking).close()


async def test_a_process_that_cannot_start_is_a_fault_of_ours(stage: Stage) -> None:
    broken = replace(stage.place.libraries, torch_runtime=Path("/nowhere.so"))
    with pytest.raises(WorkerLost, match="cannot start: cannot open shared object file"):
        await stage.runners.take(Place("cpu", 0, broken))
    await (await stage.runners.take(stage.place)).close()


async def test_nothing_is_left_when_it_closes(stage: Stage) -> None:
    stage.runners.prepare(stage.place)
    await stage.settle(2)
    await stage.runners.close()
    await stage.settle(0)
