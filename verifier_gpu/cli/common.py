"""What the commands share: settings from options, exit codes, one-sentence errors."""

from __future__ import annotations

import enum
from pathlib import Path
from typing import NoReturn

import typer

from protos.leap.verifier.v1 import verifier_pb2 as pb
from verifier_gpu.service.config import ServiceConfig
from verifier_gpu.service.hardware import Hardware, detect

EXIT_PASSED = 0
EXIT_FAILED = 1
EXIT_INFRA = 2


class Builder(enum.StrEnum):
    auto = "auto"
    slim = "slim"
    torch = "torch"


class Target(enum.StrEnum):
    auto = "auto"
    cuda = "cuda"
    cpu = "cpu"

    def to_proto(self) -> pb.Target.ValueType:
        return pb.Target.Value(f"TARGET_{self.value.upper()}")


def fail(message: str, code: int = EXIT_INFRA) -> NoReturn:
    """Ends the command with one sentence on standard error."""
    typer.echo(f"leap-verifier: {message}", err=True)
    raise typer.Exit(code)


def settings(
    target: Target,
    jobs: int | None,
    cache_dir: Path | None,
    builder: Builder = Builder.auto,
) -> ServiceConfig:
    """Settings from the options that are given; the rest are defaults."""
    values: dict[str, object] = {"builder": builder.value}
    if target is not Target.auto:
        values["targets"] = (target.value,)
    if jobs is not None:
        values["jobs"] = jobs
    if cache_dir is not None:
        values["cache_dir"] = cache_dir
    return ServiceConfig.model_validate(values)


def hardware_for(target: Target) -> Hardware:
    """The machine; ends the command if it cannot serve the target."""
    hardware = detect()
    if target is Target.auto and not hardware.targets:
        fail("this machine has no C++ compiler; run `leap-verifier doctor`")
    if target is not Target.auto and target.value not in hardware.targets:
        fail(f"this machine cannot serve target {target.value}; run `leap-verifier doctor`")
    return hardware


def exit_code(verdicts: list[pb.Verdict]) -> int:
    """0: all passed; 2: some verdict is not the candidate's doing; 1: some failed."""
    outcomes = {verdict.outcome for verdict in verdicts}
    if outcomes <= {pb.OUTCOME_PASSED}:
        return EXIT_PASSED
    return EXIT_FAILED if outcomes <= {pb.OUTCOME_PASSED, pb.OUTCOME_FAILED} else EXIT_INFRA
