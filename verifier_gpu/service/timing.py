"""Times a submission and its reference in turns, in one lease, from outside both processes."""

from __future__ import annotations

import time
from dataclasses import dataclass

from verifier_gpu.judge.timing import believable, median, settled, speedup
from verifier_gpu.runner.channel import ChannelError, Message
from verifier_gpu.service.candidates import Candidate
from verifier_gpu.service.processes import Child, WorkerLost
from verifier_gpu.service.record import Stop

_WARM_UP_CALLS = 3
_BATCH_CALLS = 10
_MAX_ROUNDS = 20
_TARGET_INTERVAL = 0.01  # of the median, either way
_MAX_SECONDS = 3.0


@dataclass(frozen=True)
class Timing:
    """Fields as in the proto's Timing."""

    median_ms: float
    interval_low_ms: float
    interval_high_ms: float
    trials: int
    reference_median_ms: float
    speedup: float
    speedup_interval_low: float
    speedup_interval_high: float


async def measure(candidate: Candidate, reference: Child, job: Message) -> Timing:
    """Interleaves batches of both until both medians are settled.

    Args:
        candidate: loaded and right, holding the GPU.
        reference: a fresh child of role "reference" on the same GPU.
        job: what it shall time.

    Raises Stop(REWARD_HACK) if the candidate's own times contradict the wall
    clock, WorkerLost if the reference's process dies.
    """
    await _ask(reference, job)
    await _reference_batch(reference, _WARM_UP_CALLS)
    await candidate.time(0, _WARM_UP_CALLS)
    ours: list[float] = []
    theirs: list[float] = []
    forged = 0
    start = time.perf_counter()
    rounds = 0
    while rounds < _MAX_ROUNDS and time.perf_counter() - start < _MAX_SECONDS:
        rounds += 1
        begun = time.perf_counter()
        batch = await _reference_batch(reference, _BATCH_CALLS)
        overhead = time.perf_counter() - begun - sum(batch) / 1000
        begun = time.perf_counter()
        claimed = await candidate.time(0, _BATCH_CALLS)
        wall = time.perf_counter() - begun
        forged += not believable(sum(claimed) / 1000, wall, overhead)
        theirs += batch
        ours += claimed
        if rounds >= 3 and settled(ours, _TARGET_INTERVAL) and settled(theirs, _TARGET_INTERVAL):
            break
    if 2 * forged > rounds:
        raise Stop("REWARD_HACK", "the submission's own times contradict the wall clock")
    candidate_median, reference_median = median(ours), median(theirs)
    gain = speedup(candidate_median, reference_median)
    return Timing(
        median_ms=candidate_median.value,
        interval_low_ms=candidate_median.low,
        interval_high_ms=candidate_median.high,
        trials=len(ours),
        reference_median_ms=reference_median.value,
        speedup=gain.value,
        speedup_interval_low=gain.low,
        speedup_interval_high=gain.high,
    )


async def _reference_batch(reference: Child, calls: int) -> list[float]:
    answer = await _ask(reference, {"calls": calls})
    return [float(value) for value in answer["milliseconds"]]


async def _ask(reference: Child, message: Message) -> Message:
    try:
        await reference.send(message)
        answer = await reference.receive()
    except ChannelError as error:
        raise WorkerLost(f"timing the reference failed: {error}") from None
    if "error" in answer:
        raise WorkerLost(f"timing the reference failed: {answer['error']}")
    return answer
