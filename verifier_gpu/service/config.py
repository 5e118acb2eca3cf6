"""Settings of the verifier, frozen; the command line fills them."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import platformdirs
from pydantic import BaseModel, ConfigDict, Field

from verifier_gpu.build.resources import usable_cores


def default_cache_dir() -> Path:
    """Where builds are kept between runs of the verifier."""
    return Path(platformdirs.user_cache_dir("leap-verifier", appauthor=False))


class ServiceConfig(BaseModel):
    """Limits and resources of one verifier."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    jobs: int = Field(default_factory=usable_cores, ge=1)
    """Submissions worked on at once."""
    ready_runners: int = Field(default=4, ge=0)
    """Processes kept ready for submissions, for each GPU and for the cpu target."""
    cache_dir: Path = Field(default_factory=default_cache_dir)
    targets: tuple[Literal["cuda", "cpu"], ...] = ()
    """"cuda" and "cpu"; empty: what the machine has."""

    builder: Literal["auto", "slim", "torch"] = "auto"
    """Headers that submissions are built with: "slim" ours, "torch" torch's own, "auto" ours
    and torch's where ours lack something."""

    default_timeout_seconds: float = Field(default=60.0, gt=0)
    max_timeout_seconds: float = Field(default=600.0, gt=0)
    cpu_run_seconds: int = Field(default=10, ge=1)
    """CPU time that a candidate may use on the cpu target, all its runs together."""
    reference_seconds: int = Field(default=120, ge=1)
    """CPU time that a task's reference may use."""
    memory_bytes: int = Field(default=4 << 30, gt=0)
    """Memory that one candidate may map on the cpu target."""
    max_output_bytes: int = Field(default=8 << 30, gt=0)
    """Largest file of one child, outputs included."""

    max_queued: int = Field(default=1024, ge=1)
    """Submissions waiting or running; more are refused."""
    max_submissions: int = Field(default=64, ge=1)
    max_submission_bytes: int = Field(default=1 << 20, gt=0)
    max_message_bytes: int = Field(default=64 << 20, gt=0)
    kept_verdicts: int = Field(default=20_000, ge=0)
    kept_requests: int = Field(default=20_000, ge=0)
    kept_references: int = Field(default=256, ge=1)
    kept_reference_bytes: int = Field(default=4 << 30, gt=0)

    trials: int = Field(default=5, ge=2)
    """Sets of inputs on the cuda target. The cpu target uses two, in two orders."""
