"""Everything that determines a build, before any compiler runs; its digest is the key."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

from verifier_gpu.build import compilers, toolchain, torch_road
from verifier_gpu.build.compilers import Step
from verifier_gpu.build.request import BuildRequest, Road
from verifier_gpu.build.sources import Unit, units


@dataclass(frozen=True)
class Plan:
    """The files to write, the commands to run (relative to the build's directory), and
    what the loader has to know. ``prelude`` is the precompiled header that the
    commands include, if any. ``own`` are the names of the submission's files."""

    road: Road
    key: str
    units: tuple[Unit, ...]
    compile: tuple[Step, ...]
    link: Step
    prelude: Path | None
    manifest: dict[str, str | None]
    own: frozenset[str]


def make_plan(road: Road, request: BuildRequest, libraries: Path, preludes: Path) -> Plan:
    """Plans a build.

    Raises:
        Unsupported: the cpu target cannot emulate a construct of the text, or the
            road does not exist on it.
        ToolchainError: a compiler or torch is missing on this machine.
    """
    parts = units(request, road)
    prelude: Path | None = None
    linked = toolchain.libraries(libraries, request.target)
    manifest = {
        "road": road,
        "module": compilers.MODULE_NAME,
        "runtime": str(linked.torch_runtime),
        "emulator": None if linked.emulator is None else str(linked.emulator),
        "launches": None if linked.launches is None else str(linked.launches),
        "libraries": "cuBLAS" if compilers.uses_cublas(request) else None,
    }
    if road == "torch":
        steps = torch_road.compile_steps(request, parts)
        link = torch_road.link_step(request, [step.output for step in steps], linked)
        state = [torch_road.torch_version()]
    else:
        if request.target == "cpu":
            prelude = preludes / compilers.precompiled_key(request, parts) / "prelude.h"
        steps = compilers.compile_steps(request, parts, prelude)
        link = compilers.link_step(request, [step.output for step in steps], linked)
        state = [toolchain.headers_digest()]
    state.append(toolchain.version(toolchain.cxx()))
    if request.target == "cuda":
        state.append(toolchain.version(toolchain.nvcc()))
    return Plan(
        road=road,
        key=_key(parts, [*steps, link], state),
        units=tuple(parts),
        compile=tuple(steps),
        link=link,
        prelude=prelude,
        manifest=manifest,
        own=frozenset(source.name for source in request.sources),
    )


def _key(parts: list[Unit], steps: list[Step], state: list[str]) -> str:
    content = [[part.file_name, part.text] for part in parts], [s.command for s in steps], state
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()
