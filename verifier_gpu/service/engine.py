"""The verifier without its wire: requests in, verdicts out.

Two keys join work. (client, request id): a repeat joins the running request or
gets the stored answer. The content digest: identical work joins across ids and
clients, and its verdict is reused; INFRA_ERROR and TIMEOUT never are.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import hashlib
import hmac
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

import grpc

from protos.leap.verifier.v1 import verifier_pb2 as pb
from verifier_gpu.build.builder import Builder
from verifier_gpu.build.request import Target
from verifier_gpu.feedback.render import render, template_names
from verifier_gpu.service.config import ServiceConfig
from verifier_gpu.service.hardware import Hardware, detect
from verifier_gpu.service.leases import Leases
from verifier_gpu.service.pipeline import Pipeline
from verifier_gpu.service.processes import Zygote
from verifier_gpu.service.record import Record, Stop
from verifier_gpu.service.scheduler import QueueFull, Scheduler
from verifier_gpu.service.shared import Shared
from verifier_gpu.service.validation import RequestError, resolve_target, validate
from verifier_gpu.service.work import Work

#: Told of (index of the submission, stage) as submissions move.
OnStage = Callable[[int, "pb.Stage.ValueType"], None]

_RETRY_SECONDS = 1.0


@dataclass
class _Request:
    """A request that runs or is answered."""

    digest: str
    answer: Shared[pb.VerifyResponse]
    listeners: list[OnStage]


@dataclass
class _Job:
    """Work that runs, and who listens to its stages."""

    verdict: Shared[pb.Verdict]
    listeners: list[Callable[[pb.Stage.ValueType], None]]


class Engine:
    """Verifies. Use as an async context manager."""

    def __init__(self, config: ServiceConfig, hardware: Hardware | None = None) -> None:
        self.config = config
        self.hardware = hardware if hardware is not None else detect()
        self._secret = secrets.token_bytes(32)
        self._zygote = Zygote()
        self._builder = Builder(config.cache_dir)
        self._scheduler = Scheduler(config.jobs, config.max_queued)
        self._pipeline = Pipeline(config, self._zygote, self._builder, Leases(self.hardware))
        self._verdicts: OrderedDict[str, pb.Verdict] = OrderedDict()
        self._jobs: dict[str, _Job] = {}
        self._requests: OrderedDict[tuple[str, str], _Request] = OrderedDict()

    async def __aenter__(self) -> Engine:
        """Starts the zygote, and makes what builds share, so that no submission pays for it.

        Raises WorkerLost or ToolchainError, one sentence each.
        """
        try:
            await asyncio.gather(
                self._zygote.start(),
                *(self._builder.prepare(target) for target in self.targets),
            )
            await self._pipeline.start(self.targets)
        except BaseException:
            await self._zygote.stop()
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self._pipeline.close()
        await self._zygote.stop()

    @property
    def targets(self) -> tuple[Target, ...]:
        """Targets that this verifier serves, the preferred one first."""
        return self.config.targets or self.hardware.targets

    async def verify(
        self, request: pb.VerifyRequest, peer: str, on_stage: OnStage | None = None
    ) -> pb.VerifyResponse:
        """One verdict for each submission.

        Args:
            peer: who asks, if the request has no client id.
            on_stage: told when a submission enters a stage.

        Raises RequestError for what gRPC answers with a status.
        """
        validate(request, self.config)
        client = request.client_id or f"peer:{peer}"
        if not request.request_id:
            return await self._answer(request, client, [on_stage] if on_stage else [])
        return await self._joined(request, client, on_stage)

    async def _joined(
        self, request: pb.VerifyRequest, client: str, on_stage: OnStage | None
    ) -> pb.VerifyResponse:
        key = (client, request.request_id)
        digest = hashlib.sha256(request.SerializeToString(deterministic=True)).hexdigest()
        known = self._requests.get(key)
        if known is not None and known.digest != digest:
            message = f"request id {request.request_id!r} was used before with other content"
            raise RequestError(grpc.StatusCode.INVALID_ARGUMENT, message)
        if known is None or known.answer.abandoned:
            listeners: list[OnStage] = []
            known = _Request(digest, Shared(self._answer(request, client, listeners)), listeners)
            self._requests[key] = known
        if on_stage is not None:
            known.listeners.append(on_stage)
        self._requests.move_to_end(key)
        try:
            answer = await known.answer.wait()
        except RequestError:
            self._forget(key, known)
            raise
        finally:
            if known.answer.abandoned:
                self._forget(key, known)
        # A repeat of what failed for our own reasons is a new try.
        if any(verdict.outcome == pb.OUTCOME_INFRA_ERROR for verdict in answer.verdicts):
            self._forget(key, known)
        while len(self._requests) > self.config.kept_requests:
            self._requests.popitem(last=False)
        return answer

    def _forget(self, key: tuple[str, str], request: _Request) -> None:
        if self._requests.get(key) is request:
            del self._requests[key]

    async def _answer(
        self, request: pb.VerifyRequest, client: str, listeners: list[OnStage]
    ) -> pb.VerifyResponse:
        self._check_room(request)
        verdicts = await _gather(
            [
                self._verdict(request, index, client, functools.partial(_tell, listeners, index))
                for index in range(len(request.submissions))
            ]
        )
        return pb.VerifyResponse(request_id=request.request_id, verdicts=verdicts)

    def _check_room(self, request: pb.VerifyRequest) -> None:
        try:
            self._scheduler.check_room(len(request.submissions))
        except QueueFull as error:
            raise RequestError(
                grpc.StatusCode.RESOURCE_EXHAUSTED, str(error), retry_after=_RETRY_SECONDS
            ) from None

    async def _verdict(
        self,
        request: pb.VerifyRequest,
        index: int,
        client: str,
        on_stage: Callable[[pb.Stage.ValueType], None],
    ) -> pb.Verdict:
        submission = request.submissions[index]
        try:
            work = self._work(request, submission)
        except Stop as stop:
            record = Record(on_stage)
            record.stop(stop)
            verdict = record.verdict
        else:
            verdict = await self._work_verdict(work, client, request.priority, on_stage)
        answer = pb.Verdict()
        answer.CopyFrom(verdict)
        render(answer, submission, request.feedback)
        return answer

    async def _work_verdict(
        self,
        work: Work,
        client: str,
        priority: int,
        on_stage: Callable[[pb.Stage.ValueType], None],
    ) -> pb.Verdict:
        digest = work.digest(self._pipeline.draws(work.target))
        stored = self._verdicts.get(digest)
        if stored is not None:
            self._verdicts.move_to_end(digest)
            reused = pb.Verdict()
            reused.CopyFrom(stored)
            reused.verdict_reused = True
            del reused.durations[:]
            return reused
        # A time limit is part of what is asked for, though not of what is right.
        key = f"{digest}:{work.timeout_seconds}"
        job = self._jobs.get(key)
        if job is None or job.verdict.abandoned:
            listeners: list[Callable[[pb.Stage.ValueType], None]] = []
            job = _Job(Shared(self._run(key, digest, work, client, priority, listeners)), listeners)
            self._jobs[key] = job
        job.listeners.append(on_stage)
        try:
            return await job.verdict.wait()
        finally:
            with contextlib.suppress(ValueError):
                job.listeners.remove(on_stage)

    async def _run(
        self,
        key: str,
        digest: str,
        work: Work,
        client: str,
        priority: int,
        listeners: list[Callable[[pb.Stage.ValueType], None]],
    ) -> pb.Verdict:
        mine = self._jobs.get(key)

        def on_stage(stage: pb.Stage.ValueType) -> None:
            for listener in list(listeners):
                listener(stage)

        queued = time.perf_counter()
        try:
            async with self._scheduler.slot(client, priority):
                waited = time.perf_counter() - queued
                verdict = await self._pipeline.verify(work, on_stage)
        except QueueFull as error:
            raise RequestError(
                grpc.StatusCode.RESOURCE_EXHAUSTED, str(error), retry_after=_RETRY_SECONDS
            ) from None
        finally:
            if self._jobs.get(key) is mine:
                self._jobs.pop(key, None)
        verdict.durations.add(name="queue", seconds=waited)
        if verdict.outcome != pb.OUTCOME_INFRA_ERROR and verdict.code != pb.CODE_TIMEOUT:
            self._verdicts[digest] = verdict
            while len(self._verdicts) > self.config.kept_verdicts:
                self._verdicts.popitem(last=False)
        return verdict

    def _work(self, request: pb.VerifyRequest, submission: pb.Submission) -> Work:
        """Resolves target, seed and limits. Raises Stop if no hardware here fits."""
        target = resolve_target(request, self.targets, self.hardware)
        timeout = (
            request.timeout.ToTimedelta().total_seconds() if request.HasField("timeout") else 0
        )
        given = (request.tolerance.absolute, request.tolerance.relative)
        return Work(
            task=request.task,
            submission=submission,
            target=target,
            timing=request.checks == pb.CHECKS_TIMING,
            tolerance=given if request.HasField("tolerance") else None,
            precision=request.precision,
            seed=request.seed or self._secret_seed(request.task),
            provenance=self.hardware.provenance(target),
            architecture=self.hardware.architecture,
            timeout_seconds=min(
                timeout or self.config.default_timeout_seconds, self.config.max_timeout_seconds
            ),
        )

    def _secret_seed(self, task: pb.Task) -> int:
        """A seed that nobody can guess, the same for a task while this verifier runs."""
        digest = hmac.digest(self._secret, task.reference.encode("utf-8", "replace"), "sha256")
        return int.from_bytes(digest[:7], "big") + 1

    def capabilities(self) -> pb.GetCapabilitiesResponse:
        """What this verifier can do."""
        config = self.config
        targets = [pb.TARGET_CUDA if target == "cuda" else pb.TARGET_CPU for target in self.targets]
        response = pb.GetCapabilitiesResponse(
            targets=targets,
            gpus=self.hardware.gpus if "cuda" in self.targets else [],
            formats=[pb.SUBMISSION_FORMAT_KERNELBENCH, pb.SUBMISSION_FORMAT_CUDA],
            feedback_templates=template_names(),
            limits=pb.Limits(
                max_message_bytes=config.max_message_bytes,
                max_submission_bytes=config.max_submission_bytes,
                max_submissions=config.max_submissions,
                max_queued=config.max_queued,
            ),
            provenance=self.hardware.provenance(self.targets[0] if self.targets else "cpu"),
            timing_targets=[target for target in targets if target == pb.TARGET_CUDA],
        )
        response.verifier_version = response.provenance.verifier_version
        response.limits.default_timeout.FromNanoseconds(int(config.default_timeout_seconds * 1e9))
        response.limits.max_timeout.FromNanoseconds(int(config.max_timeout_seconds * 1e9))
        return response


def _tell(listeners: list[OnStage], index: int, stage: pb.Stage.ValueType) -> None:
    for listener in list(listeners):
        listener(index, stage)


async def _gather(coroutines: list[Any]) -> list[pb.Verdict]:
    """All results; when one fails or this is cancelled, the others are cancelled and awaited."""
    tasks = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
