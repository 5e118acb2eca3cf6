"""The builder: a request becomes an artifact, from the cache or from the compilers."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import time
from dataclasses import replace
from pathlib import Path

from verifier_gpu.build import compilers, fallback, nvcc_words, policy
from verifier_gpu.build.cache import Cache
from verifier_gpu.build.plan import Plan, make_plan
from verifier_gpu.build.process import Limits, run
from verifier_gpu.build.request import BuildRequest, BuildResult, Road, SourceFile, Target
from verifier_gpu.build.resources import usable_cores, usable_memory_bytes
from verifier_gpu.build.roads import Workshop, compile_plan
from verifier_gpu.emulator.rewrite import Unsupported
from verifier_gpu.emulator.toolchain import ToolchainError

_PRELUDE_SECONDS = 120
_PRELUDES_KEPT = 8
# What one compilation of torch's own headers takes at its peak.
_TORCH_ROAD_BYTES = 4 << 30
# Results that say nothing about the submission are not kept.
_NEVER_STORED = ("TIMEOUT", "INTERNAL")


class Builder:
    """Builds extensions in child processes, with a content-addressed cache on disk.

    Builds with torch's own headers wait for memory: as many run at once as it holds.

    Args:
        cache_dir: where artifacts, runtime libraries and precompiled headers live;
            several processes may share it.
        max_cache_bytes: bound of the artifacts kept.
        limits: limits of each compiler process.
    """

    def __init__(
        self, cache_dir: Path, max_cache_bytes: int = 4 << 30, limits: Limits | None = None
    ) -> None:
        cache_dir = cache_dir.resolve()
        self._cache = Cache(cache_dir / "builds", max_cache_bytes)
        self._libraries = cache_dir / "libraries"
        self._preludes = cache_dir / "preludes"
        self._limits = limits or Limits()
        self._running: dict[str, asyncio.Task[BuildResult]] = {}
        self._waiting: dict[str, int] = {}
        self._precompiling: dict[Path, asyncio.Task[None]] = {}
        self._torch_road = asyncio.Semaphore(
            max(1, min(usable_cores(), usable_memory_bytes() // _TORCH_ROAD_BYTES))
        )

    async def build(self, request: BuildRequest, timeout_seconds: float) -> BuildResult:
        """Builds, or joins the same build that is running already.

        Never raises for what the submission or the machine did wrong: the result's
        code says it. When the last waiter is cancelled, so are its compilers.
        """
        started = time.monotonic()
        road: Road = "torch" if request.builder == "torch" else "slim"
        result = await self._build_on(road, request, started + timeout_seconds)
        if request.builder == "auto":
            missing = await asyncio.to_thread(fallback.lacking, request, result)
            if missing and request.target == "cuda":
                result = await self._build_on("torch", request, started + timeout_seconds)
            elif missing:
                message = f"the cpu target's torch headers lack {missing}"
                result = replace(result, code="UNSUPPORTED", message=message)
        if request.target == "cpu":
            result = nvcc_words.translate(result)
        return replace(result, seconds=time.monotonic() - started)

    @property
    def running(self) -> int:
        """Builds that compilers are working on."""
        return len(self._running)

    async def prepare(self, target: Target) -> None:
        """Makes what all builds of a target share, so that the first one is not slow.

        Raises:
            ToolchainError: a compiler is missing on this machine.
        """
        for text in ("", "std::string"):  # the small precompiled header and the large one
            source = SourceFile("prepare.cu", text, "cuda")
            request = BuildRequest(target, (source,), builder="slim")
            plan = await asyncio.to_thread(self._plan, "slim", request)
            await self._precompile(request, plan)

    async def _build_on(self, road: Road, request: BuildRequest, deadline: float) -> BuildResult:
        try:
            plan = await asyncio.to_thread(self._plan, road, request)
        except policy.Forbidden as error:
            return BuildResult(None, road, "FORBIDDEN", str(error))
        except Unsupported as error:
            return BuildResult(None, road, "UNSUPPORTED", str(error))
        except ToolchainError as error:
            return BuildResult(None, road, "INTERNAL", str(error))
        return self._cache.get(plan.key) or await self._join(plan, request, deadline)

    def _plan(self, road: Road, request: BuildRequest) -> Plan:
        policy.check(request)
        return make_plan(road, request, self._libraries, self._preludes)

    async def _join(self, plan: Plan, request: BuildRequest, deadline: float) -> BuildResult:
        key = plan.key
        task = self._running.get(key)
        if task is None:
            task = asyncio.ensure_future(self._build(plan, request, deadline))
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

    async def _build(self, plan: Plan, request: BuildRequest, deadline: float) -> BuildResult:
        try:
            await self._precompile(request, plan)
            with self._cache.scratch() as scratch:
                directory = Path(scratch) / "build"
                directory.mkdir()
                started = time.monotonic()
                workshop = Workshop(directory, self._limits, deadline)
                room = self._torch_road if plan.road == "torch" else contextlib.nullcontext()
                async with room:
                    result = await compile_plan(plan, workshop)
                result = replace(result, seconds=time.monotonic() - started)
                if result.code in _NEVER_STORED:
                    return result
                return self._store(plan, result, Path(scratch) / "kept")
        except OSError as error:
            return BuildResult(None, plan.road, "INTERNAL", f"the build could not run: {error}")

    async def _precompile(self, request: BuildRequest, plan: Plan) -> None:
        """Makes the precompiled prelude that the plan includes, on first use.

        Without it a build is right, only slower: its text is included instead.
        """
        if plan.prelude is None:
            return
        if plan.prelude.with_name("prelude.h.gch").exists():
            with contextlib.suppress(OSError):
                os.utime(plan.prelude.parent)
            return
        task = self._precompiling.get(plan.prelude)
        if task is None:
            prelude = plan.prelude
            task = asyncio.ensure_future(self._make_prelude(request, plan, prelude))
            self._precompiling[prelude] = task
            task.add_done_callback(lambda _: self._precompiling.pop(prelude))
        await asyncio.shield(task)

    async def _make_prelude(self, request: BuildRequest, plan: Plan, prelude: Path) -> None:
        with self._cache.scratch() as scratch:
            directory = Path(scratch) / "prelude"
            directory.mkdir()
            step = compilers.precompiled_header(request, list(plan.units), directory)
            await run(step.command, directory, _PRELUDE_SECONDS, self._limits)
            self._preludes.mkdir(parents=True, exist_ok=True)
            self._remove_old_preludes()
            try:
                directory.rename(prelude.parent)
            except OSError:
                if not prelude.exists():  # not another process's that came first
                    raise

    def _remove_old_preludes(self) -> None:
        """All but the last used: headers or flags have changed since."""
        by_age = sorted(self._preludes.iterdir(), key=lambda path: path.stat().st_mtime)
        for directory in by_age[:-_PRELUDES_KEPT]:
            shutil.rmtree(directory, ignore_errors=True)

    def _store(self, plan: Plan, result: BuildResult, kept: Path) -> BuildResult:
        kept.mkdir()
        if result.artifact is not None:
            result = replace(result, artifact=result.artifact.rename(kept / "module.so"))
            (kept / "manifest.json").write_text(json.dumps(plan.manifest))
        return self._cache.put(plan.key, result, kept)
