"""The content digest: equal for equal work, different for whatever changes the verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest

from protos.leap.verifier.v1 import verifier_pb2 as pb
from verifier_gpu.service.work import Work, sha256

WORK = Work(
    task=pb.Task(id="a", reference="class Model: ..."),
    submission=pb.Submission(format=pb.SUBMISSION_FORMAT_CUDA, source="forward"),
    target="cpu",
    timing=False,
    tolerance=None,
    precision=pb.Precision(),
    seed=1,
    provenance=pb.Provenance(torch="2.13"),
    architecture="sm_90",
    timeout_seconds=10.0,
)


@pytest.mark.parametrize(
    "change",
    [
        {"task": pb.Task(reference="class Model: pass")},
        {"task": pb.Task(reference="class Model: ...", extra_tolerance=pb.Tolerance(absolute=1))},
        {"submission": pb.Submission(format=pb.SUBMISSION_FORMAT_CUDA, source="forward ")},
        {"submission": pb.Submission(format=pb.SUBMISSION_FORMAT_KERNELBENCH, source="forward")},
        {"target": "cuda"},
        {"timing": True},
        {"tolerance": (0.0, 0.1)},
        {"precision": pb.Precision(allow_tf32=True)},
        {"seed": 2},
        {"provenance": pb.Provenance(torch="2.11")},
        {"architecture": "sm_80"},
    ],
)
def test_what_changes_the_digest(change: dict[str, object]) -> None:
    assert replace(WORK, **change).digest(2) != WORK.digest(2)  # type: ignore[arg-type]


def test_what_does_not() -> None:
    named = pb.Task(id="b", reference="class Model: ...")
    assert replace(WORK, task=named, timeout_seconds=5.0).digest(2) == WORK.digest(2)
    assert WORK.digest(3) != WORK.digest(2)


def test_input_sets() -> None:
    assert WORK.input_set("timing") == ("get_inputs", "get_init_inputs")
    sets = [
        pb.InputSet(name="check", inputs_function="small"),
        pb.InputSet(name="timing", inputs_function="large", init_inputs_function="init"),
    ]
    work = replace(WORK, task=pb.Task(reference="x", input_sets=sets))
    assert work.input_set("check") == ("small", "get_init_inputs")
    assert work.input_set("timing") == ("large", "init")


def test_sha256() -> None:
    assert sha256("").startswith("sha256:e3b0c442")
