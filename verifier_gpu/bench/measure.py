"""The measures: how long one verdict takes, and how many come in a minute."""

from __future__ import annotations

import asyncio
import statistics
import time
import uuid
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from protos.leap.verifier.v1 import verifier_pb2 as pb
from verifier_gpu.bench.workload import KERNELS, Kernel

Verify = Callable[[pb.VerifyRequest], Awaitable[pb.VerifyResponse]]
#: Told of (what is measured, share that is done).
OnProgress = Callable[[str, float], None]

_REPEATS = 20


class BenchFailed(Exception):
    """A verdict that the workload does not deserve; one sentence."""


@dataclass
class Figures:
    """What was measured. Seconds are medians of one verdict, one at a time."""

    cold_verdict_seconds: float = 0.0
    warm_build_seconds: float = 0.0
    repeat_seconds: float = 0.0
    distinct_per_minute: float = 0.0
    timed_distinct_per_minute: float | None = None
    fast_road_share: float = 0.0
    stages_seconds: dict[str, float] = field(default_factory=dict)
    """Where a cold verdict's time went, means over the workload."""


class Bench:
    """Measures one verifier.

    Args:
        verify: asks it.
        target: TARGET_CUDA or TARGET_CPU; verdicts are timed on the former.
        jobs: requests in flight when throughput is measured.
        seconds: how long each throughput is sustained.
    """

    def __init__(
        self,
        verify: Verify,
        target: pb.Target.ValueType,
        jobs: int,
        seconds: float,
        on_progress: OnProgress,
    ) -> None:
        self._verify = verify
        self._target = target
        self._jobs = jobs
        self._seconds = seconds
        self._on_progress = on_progress
        self._mark = uuid.uuid4().hex
        self._roads: list[str] = []

    async def run(self) -> Figures:
        """All figures, from cold to warm. Raises BenchFailed for a verdict that is not PASSED."""
        figures = Figures()
        timed = self._target == pb.TARGET_CUDA
        for kernel in KERNELS:  # prepares the references, which a task pays for once
            await self._ask(self._request(kernel, -1, timed=timed))
        cold = await self._one_by_one("cold verdicts", timed, seed=11)
        figures.cold_verdict_seconds = statistics.median(seconds for seconds, _ in cold)
        figures.stages_seconds = _stages([verdict for _, verdict in cold])
        warm = await self._one_by_one("warm builds", timed, seed=12)
        figures.warm_build_seconds = statistics.median(seconds for seconds, _ in warm)
        figures.repeat_seconds = await self._repeats(timed)
        figures.distinct_per_minute = await self._throughput("distinct texts", timed=False)
        if timed:
            figures.timed_distinct_per_minute = await self._throughput(
                "distinct texts, timed", timed=True
            )
        figures.fast_road_share = self._roads.count("slim") / max(1, len(self._roads))
        return figures

    async def _one_by_one(
        self, what: str, timed: bool, seed: int
    ) -> list[tuple[float, pb.Verdict]]:
        """One variant of every kernel; under another seed its verdict is made anew."""
        found = []
        for number, kernel in enumerate(KERNELS):
            self._on_progress(what, number / len(KERNELS))
            await self._ask(self._request(kernel, -1, timed=timed, seed=seed))  # the reference
            start = time.perf_counter()
            verdict = await self._ask(self._request(kernel, number, timed=timed, seed=seed))
            found.append((time.perf_counter() - start, verdict))
        return found

    async def _repeats(self, timed: bool) -> float:
        seconds = []
        for repeat in range(_REPEATS):
            self._on_progress("repeats", repeat / _REPEATS)
            request = self._request(KERNELS[0], 0, timed=timed, seed=12)
            start = time.perf_counter()
            await self._ask(request)
            seconds.append(time.perf_counter() - start)
        return statistics.median(seconds)

    async def _throughput(self, what: str, timed: bool) -> float:
        """Verdicts a minute on texts that were never seen, a stream of them in flight."""
        start = time.perf_counter()
        end = start + self._seconds
        numbers = iter(range(1000, 1_000_000))
        finished: list[float] = []

        async def work() -> None:
            while time.perf_counter() < end:
                number = next(numbers)
                kernel = KERNELS[number % len(KERNELS)]
                await self._ask(self._request(kernel, number, timed=timed))
                finished.append(time.perf_counter())
                self._on_progress(what, min(1.0, (finished[-1] - start) / self._seconds))

        try:
            async with asyncio.TaskGroup() as group:
                for _ in range(self._jobs):
                    group.create_task(work())
        except ExceptionGroup as failed:
            raise failed.exceptions[0] from None
        in_time = sum(at <= end for at in finished)
        return in_time * 60 / self._seconds

    def _request(
        self, kernel: Kernel, number: int, *, timed: bool, seed: int = 0
    ) -> pb.VerifyRequest:
        mark = f"{self._mark} {'timed' if timed else 'checked'}"
        request = pb.VerifyRequest(
            client_id="bench",
            request_id=uuid.uuid4().hex,
            task=kernel.task(),
            submissions=[kernel.submission(number, mark)],
            checks=pb.CHECKS_TIMING if timed else pb.CHECKS_CORRECTNESS,
            target=self._target,
            seed=seed,
        )
        request.timeout.FromSeconds(300)
        return request

    async def _ask(self, request: pb.VerifyRequest) -> pb.Verdict:
        verdict = (await self._verify(request)).verdicts[0]
        if verdict.outcome != pb.OUTCOME_PASSED:
            code = pb.Code.Name(verdict.code).removeprefix("CODE_")
            raise BenchFailed(
                f"the bench's own kernel {request.task.id} got {code}: {verdict.message}"
            )
        if not verdict.build_cache_hit and not verdict.verdict_reused:
            self._roads.append(verdict.build_road)
        return verdict


def _stages(verdicts: list[pb.Verdict]) -> dict[str, float]:
    total: dict[str, float] = {}
    for verdict in verdicts:
        for duration in verdict.durations:
            total[duration.name] = total.get(duration.name, 0.0) + duration.seconds
    return {name: seconds / len(verdicts) for name, seconds in total.items()}
