"""The way of one submission: parse, policy, compile, load, run, compare."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import logging
import tempfile
import time
from collections.abc import AsyncIterator, Sequence
from dataclasses import asdict
from pathlib import Path

from protos.leap.verifier.v1 import verifier_pb2 as pb
from verifier_gpu.build import toolchain
from verifier_gpu.build.builder import Builder
from verifier_gpu.build.request import BuildRequest, SourceFile, Target
from verifier_gpu.emulator.toolchain import ToolchainError
from verifier_gpu.runner.channel import Message
from verifier_gpu.runner.limits import Limits
from verifier_gpu.service.budget import Budget
from verifier_gpu.service.building import Flags, cuda_sources, inline_request, quoted
from verifier_gpu.service.candidates import Candidate
from verifier_gpu.service.config import ServiceConfig
from verifier_gpu.service.judges import Judges
from verifier_gpu.service.leases import Leases
from verifier_gpu.service.processes import WorkerLost, Zygote
from verifier_gpu.service.record import OnStage, Record, Stop, fill
from verifier_gpu.service.references import GpuUnhealthy, Reference, References, TaskInvalid
from verifier_gpu.service.runners import Place, Runners
from verifier_gpu.service.timing import measure
from verifier_gpu.service.work import Work

_LOG = logging.getLogger(__name__)

#: Sets of inputs of a timing: one timed, one to judge the submission on afterwards.
_TIMING_DRAWS = 2
#: Sets of inputs on the cpu target, which runs one in each order of threads and blocks.
_CPU_DRAWS = 2


class Pipeline:
    """Makes verdicts. Holds no state of a submission."""

    def __init__(
        self, config: ServiceConfig, zygote: Zygote, builder: Builder, leases: Leases
    ) -> None:
        self._config = config
        self._zygote = zygote
        self._builder = builder
        self._leases = leases
        self._judges = Judges(zygote)
        self._references = References(config, zygote)
        self._runners = Runners(config, zygote, leases)

    async def start(self, targets: Sequence[Target]) -> None:
        """Begins to prepare what submissions to these targets will need."""
        for target in targets:
            libraries = await self._libraries(target)
            for gpu in self._leases.places(target):
                self._runners.prepare(Place(target, gpu, libraries))

    async def close(self) -> None:
        await self._runners.close()
        await self._judges.close()

    def draws(self, target: str) -> int:
        """Sets of inputs that a submission is tried on."""
        return _CPU_DRAWS if target == "cpu" else self._config.trials

    async def verify(self, work: Work, on_stage: OnStage) -> pb.Verdict:
        """The verdict on one submission. Raises only asyncio.CancelledError."""
        record = Record(on_stage)
        verdict = record.verdict
        verdict.seed = work.seed
        verdict.provenance.CopyFrom(work.provenance)
        verdict.content_digest = work.digest(self.draws(work.target))
        try:
            await self._verify(work, record)
            record.passed()
        except Stop as stop:
            record.stop(stop)
        except TaskInvalid as error:
            record.stop(Stop("TASK_INVALID", f"the task {work.task.id!r} is broken: {error}"))
        except GpuUnhealthy as error:
            record.stop(Stop("GPU_UNHEALTHY", str(error)))
        except WorkerLost as error:
            record.stop(Stop("WORKER_LOST", str(error)))
        except OSError as error:
            record.stop(Stop("INTERNAL", f"the verifier's machine failed: {error}"))
        except Exception as error:
            # A defect of ours: one request gets an answer, the others go on.
            _LOG.exception("verifying %s failed", verdict.content_digest)
            record.stop(Stop("INTERNAL", f"a defect of the verifier: {error!r}"))
        return verdict

    async def _verify(self, work: Work, record: Record) -> None:
        record.enter(pb.STAGE_PARSE)
        await self._check_statically(work, record)
        budget = Budget(work.timeout_seconds)
        artifact = ""
        async with self._reference(work, "check") as preparing:
            if work.format == "cuda":
                artifact = str(
                    await self._build(
                        work, record, budget, cuda_sources(work.submission.source), ()
                    )
                )
            with record.timed("reference"):
                reference = await preparing
        for note in reference.notes:
            record.note(note)
        _set_tolerance(record.verdict, reference)
        timing_apart = work.timing and work.input_set("timing") != work.input_set("check")
        async with self._candidate(work, record, reference, budget, artifact) as candidate:
            await self._judge_calls(work, record, reference, candidate)
            if work.timing and not timing_apart:
                await self._time(work, record, reference, candidate)
        if timing_apart:
            async with self._reference(work, "timing") as preparing:
                with record.timed("reference"):
                    reference = await preparing
            async with self._candidate(work, record, reference, budget, artifact) as candidate:
                await self._judge_call(work, record, reference, candidate, 0, "forward")
                await self._time(work, record, reference, candidate)

    async def _check_statically(self, work: Work, record: Record) -> None:
        with record.timed("parse"):
            size = len(work.submission.source.encode("utf-8", "replace"))
            if size > self._config.max_submission_bytes:
                limit = self._config.max_submission_bytes
                raise Stop("FORBIDDEN", f"the submission has {size} bytes; the limit is {limit}")
            finding = await self._judges.ask(
                {"op": "parse", "format": work.format, "source": work.submission.source}
            )
        record.enter(pb.Stage.Value(f"STAGE_{finding['stage']}"))
        if finding["code"] is not None:
            place = {
                "file": f"submission.{'cu' if work.format == 'cuda' else 'py'}",
                "line": finding["line"],
                "column": finding["column"],
                "message": finding["message"],
            }
            diagnostics = [place] if finding["line"] else []
            raise Stop(finding["code"], finding["message"], diagnostics=diagnostics)

    @contextlib.asynccontextmanager
    async def _reference(
        self, work: Work, input_set: str
    ) -> AsyncIterator[asyncio.Task[Reference]]:
        """Prepares a reference while the submission is being built."""
        draws = self.draws(work.target) if input_set == "check" else _TIMING_DRAWS
        job = work.reference_job(draws, input_set)
        key = hashlib.sha256(repr(sorted(job.items())).encode()).hexdigest()
        preparing = asyncio.ensure_future(
            self._references.get(key, job, lambda: self._leases.hold(work.target))
        )
        try:
            yield preparing
        finally:
            # A build error leaves before the reference is there: others may still
            # want it, and it is kept, so that only a task that nobody awaits ends.
            if not preparing.done():
                preparing.cancel()
            with contextlib.suppress(asyncio.CancelledError, TaskInvalid, GpuUnhealthy, WorkerLost):
                await preparing

    async def _build(
        self,
        work: Work,
        record: Record,
        budget: Budget,
        sources: tuple[SourceFile, ...],
        functions: tuple[str, ...],
        flags: Flags | None = None,
    ) -> Path:
        record.enter(pb.STAGE_COMPILE)
        request = BuildRequest(
            target=work.target,
            sources=sources,
            functions=functions,
            architecture=work.architecture,
            builder=self._config.builder,
            **(flags or Flags()),
        )
        with record.timed("build"):
            result = await self._builder.build(request, timeout_seconds=max(1.0, budget.left))
        budget.charge(result.seconds)
        verdict = record.verdict
        verdict.build_cache_hit = result.cache_hit
        if verdict.build_road != "torch":  # the slower road of a submission's builds
            verdict.build_road = result.road
        for kernel in result.kernels:
            fill(verdict.kernels.add(), asdict(kernel))
        if result.code is not None or result.artifact is None:
            raise Stop(
                result.code or "INTERNAL",
                result.message,
                diagnostics=[
                    quoted(diagnostic, work.format, sources) for diagnostic in result.diagnostics
                ],
            )
        return result.artifact

    @contextlib.asynccontextmanager
    async def _candidate(
        self, work: Work, record: Record, reference: Reference, budget: Budget, artifact: str
    ) -> AsyncIterator[Candidate]:
        """The submission, loaded in a process of its own."""

        async def on_build(request: Message) -> Path:
            stage, start = record.verdict.stage, time.perf_counter()
            sources, functions, flags = inline_request(request)
            artifact = await self._build(work, record, budget, sources, functions, flags)
            record.enter(stage)
            record.add_duration("load", start - time.perf_counter())  # counted as "build"
            return artifact

        with (
            tempfile.TemporaryDirectory(prefix="leap-", ignore_cleanup_errors=True) as scratch,
            self._leases.choose(work.target) as gpu,
        ):
            place = Place(work.target, gpu, await self._libraries(work.target))
            with record.timed("runner"):
                child = await self._runners.take(place)
            turn = self._leases.turn(work.target, gpu)
            limits = self._runners.limits(work.target)
            candidate = Candidate(child, gpu, limits, budget, turn, on_build)
            try:
                await self._load(work, record, reference, candidate, artifact, scratch)
                yield candidate
            except Stop as stop:
                if stop.code == "GPU_UNHEALTHY":
                    await self._doubt(stop, place)
                raise
            finally:
                await candidate.close()
                if candidate.printed:
                    record.note(f"the submission printed: {candidate.printed}")

    async def _load(
        self,
        work: Work,
        record: Record,
        reference: Reference,
        candidate: Candidate,
        artifact: str,
        scratch: str,
    ) -> None:
        record.enter(pb.STAGE_LOAD)
        with record.timed("load"):
            notes = await candidate.load(
                {
                    "format": work.format,
                    "source": "" if work.format == "cuda" else work.submission.source,
                    "artifact": artifact,
                    "init": reference.init,
                    "state": reference.state,
                    "inputs": reference.inputs,
                    "model_seed": reference.model_seed,
                    "dtype": work.precision.dtype,
                    "memory_bytes": self._config.memory_bytes if work.target == "cpu" else 0,
                    "scratch": scratch,
                },
                reference.public,
            )
        for note in notes:
            record.note(note)

    async def _doubt(self, stop: Stop, place: Place) -> None:
        """A process that says its GPU is broken is believed only if another finds it so, too."""
        await self._runners.probe(place)
        raise Stop("RUNTIME_ERROR", stop.message, **stop.details) from None

    async def _libraries(self, target: Target) -> toolchain.Libraries:
        """What submissions are linked against, built once."""
        try:
            return await asyncio.to_thread(
                toolchain.libraries, self._config.cache_dir / "libraries", target
            )
        except ToolchainError as error:
            raise Stop("INTERNAL", str(error)) from None

    async def _judge_calls(
        self, work: Work, record: Record, reference: Reference, candidate: Candidate
    ) -> None:
        """Calls the submission on each set of inputs and judges what it returns."""
        for draw in range(self.draws(work.target)):
            order = "shuffle" if work.target == "cpu" and draw % 2 == 1 else "forward"
            try:
                await self._judge_call(work, record, reference, candidate, draw, order)
            except Stop as stop:
                if order == "shuffle" and stop.code in ("WRONG_VALUES", "NON_FINITE"):
                    await self._explain(work, record, reference, candidate, draw, stop)
                raise

    async def _judge_call(
        self,
        work: Work,
        record: Record,
        reference: Reference,
        candidate: Candidate,
        draw: int,
        order: str,
    ) -> None:
        record.enter(pb.STAGE_RUN)
        with record.timed("run"):
            report = await candidate.call(draw, order, work.seed % (1 << 32) + draw)
        # What the process says of itself is believed only where it makes things worse.
        operations = report.get("operations")
        if isinstance(operations, list) and operations:
            names = ", ".join(str(name)[:40] for name in operations[:10])
            record.note(f"forward also computes with torch's own operations: {names}")
        if report.get("library_calls"):
            record.note(f"forward computes with cuBLAS: {str(report['library_calls'])[:300]}")
        refused = str(report.get("launch_error") or "")
        nothing_built = work.format == "kernelbench" and candidate.builds == 0
        if report.get("launched") == 0 or nothing_built:
            if refused:
                raise Stop("BAD_LAUNCH", refused)
            raise Stop("NO_KERNEL_LAUNCHED", "forward launched no CUDA kernel")
        record.enter(pb.STAGE_COMPARE)
        with record.timed("compare"):
            comparison = await self._judges.ask(
                {
                    "op": "compare",
                    "expected": reference.expected[draw],
                    "outputs": report.get("header"),
                },
                [reference.secret.fd, candidate.outputs.fd],
            )
        if comparison["code"] is not None:
            code = "BAD_LAUNCH" if refused else comparison["code"]
            message = refused or comparison["message"]
            fault = None
            if code in ("WRONG_VALUES", "NON_FINITE"):
                message, fault = _with_cause(message, report.get("unwritten"))
            raise Stop(code, message, mismatch=comparison["mismatch"], fault=fault)
        if report.get("mutated") is True and not reference.mutates_inputs:
            raise Stop("INPUT_MUTATED", "forward changed its inputs")

    async def _explain(
        self,
        work: Work,
        record: Record,
        reference: Reference,
        candidate: Candidate,
        draw: int,
        stop: Stop,
    ) -> None:
        """Raises NONDETERMINISTIC if the same inputs give right values in another order."""
        try:
            await self._judge_call(work, record, reference, candidate, draw, "forward")
        except Stop:
            return
        raise Stop(
            "NONDETERMINISTIC",
            "the result depends on the order in which blocks and threads run "
            f"(a missing barrier, a race, or uninitialised memory): {stop.message}",
            **stop.details,
        )

    async def _time(
        self, work: Work, record: Record, reference: Reference, candidate: Candidate
    ) -> None:
        """Times a right submission beside the reference, then judges it once more."""
        record.enter(pb.STAGE_TIME)
        await candidate.hold_gpu_alone()
        job = work.reference_job(1, "timing")
        job |= {"timed_inputs": reference.inputs[0], "gpu": candidate.gpu}
        limits = Limits(cpu_seconds=self._config.reference_seconds)
        with record.timed("time"):
            child = await self._zygote.spawn("reference", limits, [reference.public.fd] * 2)
            try:
                fill(record.verdict.timing, asdict(await measure(candidate, child, job)))
            finally:
                await child.close()
        await self._judge_call(work, record, reference, candidate, 1, "forward")
        record.enter(pb.STAGE_TIME)


def _with_cause(message: str, unwritten: object) -> tuple[str, object]:
    """Adds the read of memory that nobody wrote to what is said about wrong values."""
    if not isinstance(unwritten, dict) or not isinstance(unwritten.get("fault"), dict):
        return message, None
    return f"{message}; the kernel {unwritten.get('message')}", unwritten["fault"]


def _set_tolerance(verdict: pb.Verdict, reference: Reference) -> None:
    """The widest of the tolerances of outputs and draws."""
    entries = [entry for draw in reference.expected for entry in draw]
    verdict.tolerance.absolute = max(entry["absolute"] for entry in entries)
    verdict.tolerance.relative = max(entry["relative"] for entry in entries)
