"""Figures as Markdown and as JSON, with the machine that they are of."""

from __future__ import annotations

import json
import platform
from dataclasses import asdict
from typing import Any

from protos.leap.verifier.v1 import verifier_pb2 as pb
from verifier_gpu.bench.measure import Figures
from verifier_gpu.build.resources import usable_cores


def machine(capabilities: pb.GetCapabilitiesResponse, target: str, jobs: int) -> dict[str, Any]:
    """What the figures depend on. ``jobs`` is how many submissions the server works on at once."""
    provenance = capabilities.provenance
    return {
        "target": target,
        "gpus": [gpu.name for gpu in capabilities.gpus] if target == "cuda" else [],
        "cores": usable_cores(),
        "jobs": jobs,
        "system": platform.platform(),
        "versions": {
            "leap-verifier": capabilities.verifier_version,
            "torch": provenance.torch,
            "python": provenance.python,
            "compiler": provenance.compiler,
            "cuda": provenance.cuda if target == "cuda" else "",
            "driver": provenance.driver if target == "cuda" else "",
        },
    }


def to_json(figures: Figures, about: dict[str, Any]) -> str:
    """One JSON object: the figures' fields, and `machine`."""
    return json.dumps({**asdict(figures), "machine": about}, indent=2)


def to_markdown(figures: Figures, about: dict[str, Any]) -> str:
    """A table for a person or a README."""
    timed = ", timed" if figures.timed_distinct_per_minute is not None else ""
    rows = [
        (f"one cold verdict{timed}", _seconds(figures.cold_verdict_seconds)),
        (f"one verdict with its build cached{timed}", _seconds(figures.warm_build_seconds)),
        ("identical content again", _seconds(figures.repeat_seconds)),
        ("distinct verdicts a minute", f"{figures.distinct_per_minute:.0f}"),
    ]
    if figures.timed_distinct_per_minute is not None:
        rows.append(("the same, timed", f"{figures.timed_distinct_per_minute:.0f}"))
    rows.append(("share built with the slim headers", f"{figures.fast_road_share:.0%}"))
    stages = sorted(figures.stages_seconds.items(), key=lambda item: -item[1])
    spent = ", ".join(f"{name} {seconds:.3f}" for name, seconds in stages if seconds >= 0.0005)
    versions = ", ".join(f"{name} {value}" for name, value in about["versions"].items() if value)
    where = ", ".join([*about["gpus"], f"{about['cores']} cores", f"{about['jobs']} jobs"])
    return "\n".join(
        [
            f"| target {about['target']} | |",
            "|---|---|",
            *(f"| {name} | {value} |" for name, value in rows),
            "",
            f"A cold verdict's seconds: {spent}.",
            f"Machine: {where}; {about['system']}; {versions}.",
        ]
    )


def _seconds(value: float) -> str:
    return f"{value:.2f} s" if value >= 0.1 else f"{value * 1000:.1f} ms"
