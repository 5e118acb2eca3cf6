"""The builder: a request becomes an artifact, from the cache or from the compilers."""

from __future__ import annotations

import asyncio
import hashlib
import json
import re
import time
from dataclasses import asdict, replace
from pathlib import Path

from verifier_gpu.build import compilers, diagnostics, policy, toolchain
from verifier_gpu.build.cache import Cache
from verifier_gpu.build.compilers import Step
from verifier_gpu.build.process import Finished, Limits, run
from verifier_gpu.build.request import BuildRequest, BuildResult
from verifier_gpu.build.sources import units
from verifier_gpu.emulator.rewrite import Unsupported
from verifier_gpu.emulator.toolchain import ToolchainError
from verifier_gpu.emulator.toolchain import runtime_library as emulator_library

# What a compiler says when the machine failed it, not the source.
_MACHINE_FAILED = re.compile(
    r"No space left on device|Killed signal terminated program|cannot allocate memory"
    r"|Cannot allocate memory|virtual memory exhausted|Resource temporarily unavailable"
    r"|Disk quota exceeded|Read-only file system",
)


class Builder:
    """Builds extensions in child processes, with a content-addressed cache on disk.

    Args:
        cache_dir: where artifacts, runtime libraries and precompiled headers live;
            several processes may share it.
        max_cache_bytes: bound of the artifacts kept.
        limits: limits of each compiler process.
    """

    def __init__(
        self, cache_dir: Path, max_cache_bytes: int = 4 << 30, limits: Limits | None = None
    ) -> None:
        self._cache = Cache(cache_dir / "builds", max_cache_bytes)
        self._libraries = cache_dir / "libraries"
        self._preludes = cache_dir / "preludes"
        self._limits = limits or Limits()
        self._running: dict[str, asyncio.Task[BuildResult]] = {}
        self._waiting: dict[str, int] = {}

    async def build(self, request: BuildRequest, timeout_seconds: float) -> BuildResult:
        """Builds, or joins the same build that is running already.

        Never raises for what the submission or the machine did wrong: the result's
        code says it. When the last waiter is cancelled, so are its compilers.
        """
        started = time.monotonic()
        try:
            policy.check(request)
        except policy.Forbidden as error:
            return BuildResult(None, "slim", "FORBIDDEN", str(error))
        try:
            key = await asyncio.to_thread(self._key, request)
        except ToolchainError as error:
            return BuildResult(None, "slim", "INTERNAL", str(error))
        stored = self._cache.get(key)
        if stored is not None:
            return replace(stored, seconds=time.monotonic() - started)
        return await self._join(key, request, timeout_seconds)

    async def _join(self, key: str, request: BuildRequest, timeout: float) -> BuildResult:
        task = self._running.get(key)
        if task is None:
            task = asyncio.ensure_future(self._build(key, request, timeout))
            self._running[key] = task
            task.add_done_callback(lambda _: self._running.pop(key, None))
        self._waiting[key] = self._waiting.get(key, 0) + 1
        try:
            return await asyncio.shield(task)
        finally:
            self._waiting[key] -= 1
            if self._waiting[key] == 0:
                del self._waiting[key]
                task.cancel()

    async def _build(self, key: str, request: BuildRequest, timeout: float) -> BuildResult:
        started = time.monotonic()
        with self._cache.scratch() as scratch:
            directory = Path(scratch) / "build"
            try:
                directory.mkdir()
                result = await self._compile(request, directory, started + timeout)
                result = replace(result, seconds=time.monotonic() - started)
                if result.code in ("TIMEOUT", "INTERNAL"):
                    return result
                return self._store(key, request, result, directory)
            except ToolchainError as error:
                return BuildResult(None, "slim", "INTERNAL", str(error))
            except OSError as error:
                return BuildResult(None, "slim", "INTERNAL", f"the build could not run: {error}")

    async def _compile(
        self, request: BuildRequest, directory: Path, deadline: float
    ) -> BuildResult:
        try:
            parts = await asyncio.to_thread(units, request)
        except Unsupported as error:
            return BuildResult(None, "slim", "UNSUPPORTED", str(error))
        for part in parts:
            (directory / part.file_name).write_text(part.text)
        precompiled = await self._precompiled(request) if request.target == "cpu" else None
        steps = compilers.compile_steps(request, parts, precompiled)
        done = await asyncio.gather(*(self._step(step, directory, deadline) for step in steps))
        output = "".join(finished.output for finished in done)
        for finished in done:
            failure = _failure(finished, request.target)
            if failure is not None:
                return failure
        if any(finished.status != 0 for finished in done):
            found = diagnostics.parse(output)
            return BuildResult(None, "slim", "COMPILE_ERROR", _first_error(found, output), found)
        kernels = diagnostics.parse_resources(output)
        warnings = diagnostics.parse(output)
        link = await asyncio.to_thread(
            compilers.link_step, request, [step.output for step in steps], self._libraries
        )
        finished = await self._step(link, directory, deadline)
        failure = _failure(finished, request.target)
        if failure is not None:
            return failure
        if finished.status != 0:
            found = diagnostics.parse_linker(finished.output)
            return BuildResult(
                None, "slim", "LINK_ERROR", _first_error(found, finished.output), found
            )
        return BuildResult(directory / link.output, "slim", None, "", warnings, kernels)

    async def _step(self, step: Step, directory: Path, deadline: float) -> Finished:
        left = max(deadline - time.monotonic(), 0.01)
        return await run(step.command, directory, left, self._limits)

    async def _precompiled(self, request: BuildRequest) -> Path | None:
        """The precompiled prelude for the request's flags, made on first use."""
        name = await asyncio.to_thread(compilers.precompiled_key, request)
        header = self._preludes / name / "prelude.h"
        if header.with_name("prelude.h.gch").exists():
            return header
        with self._cache.scratch() as scratch:
            directory = Path(scratch) / name
            directory.mkdir()
            step = compilers.precompiled_header(request, directory)
            finished = await self._step(step, directory, time.monotonic() + 120)
            if finished.status != 0:
                return None
            self._preludes.mkdir(parents=True, exist_ok=True)
            try:
                directory.rename(header.parent)
            except OSError:  # another build made it first
                return header if header.exists() else None
        return header

    def _store(
        self, key: str, request: BuildRequest, result: BuildResult, directory: Path
    ) -> BuildResult:
        kept = directory.with_name("kept")
        kept.mkdir()
        if result.artifact is not None:
            result = replace(result, artifact=result.artifact.rename(kept / "module.so"))
            manifest = {
                "road": result.road,
                "module": compilers.MODULE_NAME,
                "runtime": str(toolchain.torch_runtime(self._libraries, request.target)),
                "emulator": str(emulator_library(self._libraries))
                if request.target == "cpu"
                else None,
            }
            (kept / "manifest.json").write_text(json.dumps(manifest))
        return self._cache.put(key, result, kept)

    def _key(self, request: BuildRequest) -> str:
        compiler = toolchain.cxx()
        text = [
            json.dumps(asdict(request), sort_keys=True),
            toolchain.version(compiler),
            toolchain.headers_digest(),
            str(toolchain.torch_runtime(self._libraries, request.target)),
        ]
        if request.target == "cuda":
            text.append(toolchain.version(toolchain.nvcc()))
        else:
            text.append(str(emulator_library(self._libraries)))
        return hashlib.sha256("\0".join(text).encode()).hexdigest()


def _failure(finished: Finished, target: str) -> BuildResult | None:
    """The result of a step that was stopped or failed by the machine, else None."""
    if finished.timed_out:
        return BuildResult(None, "slim", "TIMEOUT", "the compiler did not end in time")
    if finished.status == 0:
        return None
    if finished.status < 0 or _MACHINE_FAILED.search(finished.output):
        return BuildResult(
            None, "slim", "INTERNAL", "the compiler was stopped by the machine's limits"
        )
    return None


def _first_error(found: tuple[diagnostics.Diagnostic, ...], output: str) -> str:
    for diagnostic in found:
        if diagnostic.severity == "error":
            return diagnostic.message
    lines = [line for line in output.splitlines() if line.strip()]
    return lines[0][:500] if lines else "the compiler failed without a message"
