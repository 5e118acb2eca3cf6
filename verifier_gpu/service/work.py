"""One submission to verify, with everything resolved that determines its verdict."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from protos.leap.verifier.v1 import verifier_pb2 as pb
from verifier_gpu.build.request import Target

#: Raised whenever the judge or the emulation changes what a verdict can be.
JUDGE_VERSION = 1


@dataclass(frozen=True)
class Work:
    """A submission, its task and the terms of the verdict."""

    task: pb.Task
    submission: pb.Submission
    target: Target
    timing: bool
    tolerance: tuple[float, float] | None
    precision: pb.Precision
    seed: int
    provenance: pb.Provenance
    architecture: str
    timeout_seconds: float

    @property
    def format(self) -> str:
        cuda = self.submission.format == pb.SUBMISSION_FORMAT_CUDA
        return "cuda" if cuda else "kernelbench"

    def input_set(self, name: str) -> tuple[str, str]:
        """Functions of the reference that make inputs and constructor arguments.

        A task without a set of that name uses its "check" set, and without any
        the names of KernelBench.
        """
        by_name = {entry.name: entry for entry in self.task.input_sets}
        chosen = by_name.get(name) or by_name.get("check") or pb.InputSet()
        return (
            chosen.inputs_function or "get_inputs",
            chosen.init_inputs_function or "get_init_inputs",
        )

    def reference_job(self, draws: int, input_set: str = "check") -> dict[str, Any]:
        """The job of `judge.reference` for one set of inputs of this work's task."""
        inputs_function, init_inputs_function = self.input_set(input_set)
        extra = self.task.extra_tolerance
        return {
            "reference": self.task.reference,
            "inputs_function": inputs_function,
            "init_inputs_function": init_inputs_function,
            "seed": self.seed,
            "draws": draws,
            "device": self.target,
            "dtype": self.precision.dtype,
            "allow_tf32": self.precision.allow_tf32,
            "tolerance": self.tolerance,
            "extra_tolerance": [extra.absolute, extra.relative],
        }

    def digest(self, draws: int) -> str:
        """ "sha256:<hex>" over what determines the verdict; the time limit is not part of it."""
        parts = {
            "judge": JUDGE_VERSION,
            "reference": self.reference_job(draws),
            "timing_set": self.input_set("timing") if self.timing else None,
            "format": self.format,
            "source": self.submission.source,
            "timing": self.timing,
            "architecture": self.architecture,
            "provenance": self.provenance.SerializeToString(deterministic=True).hex(),
        }
        return sha256(json.dumps(parts, sort_keys=True))


def sha256(text: str) -> str:
    """ "sha256:<hex>" of a text in UTF-8."""
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
