"""Runs a plan: units compiled side by side, then linked."""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass, replace
from pathlib import Path

from verifier_gpu.build import diagnostics
from verifier_gpu.build.compilers import Step
from verifier_gpu.build.plan import Plan
from verifier_gpu.build.process import Finished, Limits, run
from verifier_gpu.build.request import BuildResult, Diagnostic, Road
from verifier_gpu.build.sources import BINDING_NAME

# What a compiler says when the machine failed it, not the source.
_MACHINE_FAILED = re.compile(
    r"No space left on device|(?:Killed|File size limit exceeded) signal terminated program"
    r"|[Cc]annot allocate memory"
    r"|virtual memory exhausted|out of memory allocating|Resource temporarily unavailable"
    r"|Disk quota exceeded|Read-only file system|internal compiler error"
)
_OUT_OF_TIME = re.compile(r"CPU time limit exceeded signal terminated program")


@dataclass(frozen=True)
class Workshop:
    """Where one build runs and how long it may: a private directory, limits of each
    process, and a deadline on time.monotonic()."""

    directory: Path
    limits: Limits
    deadline: float

    async def step(self, step: Step) -> Finished:
        """Runs one step."""
        left = max(self.deadline - time.monotonic(), 0.01)
        return await run(step.command, self.directory, left, self.limits)


async def compile_plan(plan: Plan, workshop: Workshop) -> BuildResult:
    """Builds the plan's module in the workshop's directory.

    Returns:
        The result; its artifact lies in the workshop's directory.
    """
    for unit in plan.units:
        content = unit.text.encode("utf-8", "replace")
        (workshop.directory / unit.file_name).write_bytes(content)
    done = await asyncio.gather(*(workshop.step(step) for step in plan.compile))
    output = "\n".join(finished.output for finished in done)
    failure = _failure(plan.road, done)
    if failure is not None:
        return failure
    found = tuple(_explain_binding(d) for d in diagnostics.parse(output, plan.own))
    if any(finished.status != 0 for finished in done):
        if not any(d.severity == "error" for d in found):
            # Not a word about the source: the compiler itself failed.
            return BuildResult(None, plan.road, "INTERNAL", _first_line(output))
        message = _first_error(found, output)
        return BuildResult(None, plan.road, "COMPILE_ERROR", message, found)
    linked = await workshop.step(plan.link)
    failure = _failure(plan.road, [linked])
    if failure is not None:
        return failure
    if linked.status != 0:
        missing = diagnostics.parse_linker(linked.output)
        message = _first_error(missing, linked.output)
        return BuildResult(None, plan.road, "LINK_ERROR", message, missing)
    kernels = diagnostics.parse_resources(output)
    artifact = workshop.directory / plan.link.output
    return BuildResult(artifact, plan.road, None, "", found, kernels)


def _explain_binding(diagnostic: Diagnostic) -> Diagnostic:
    """A complaint about a line that we wrote, in words about the submission's."""
    if diagnostic.file != BINDING_NAME:
        return diagnostic
    name = re.search(r"[\"‘'](\w+)[\"’']", diagnostic.message)
    if name is None or not re.search(r"not declared|undefined", diagnostic.message):
        return replace(diagnostic, file="", line=0, column=0)
    message = f"the extension must bind {name[1]!r}, but no such function is declared"
    return Diagnostic("", 0, 0, diagnostic.severity, message)


def _failure(road: Road, done: list[Finished]) -> BuildResult | None:
    """The result if a step was stopped, or failed by the machine; else None."""
    for finished in done:
        if finished.timed_out or _OUT_OF_TIME.search(finished.output):
            return BuildResult(None, road, "TIMEOUT", "the compiler did not end in time")
        if finished.status == 0:
            continue
        if finished.status < 0 or _MACHINE_FAILED.search(finished.output):
            message = "the compiler was stopped by a limit of memory, time or disk"
            return BuildResult(None, road, "INTERNAL", message)
    return None


def _first_error(found: tuple[Diagnostic, ...], output: str) -> str:
    for diagnostic in found:
        if diagnostic.severity == "error":
            return diagnostic.message
    return _first_line(output)


def _first_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[0][:500] if lines else "the compiler failed without a message"
