"""What the benchmarks make of verdicts, without a verifier."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import agreement, roads
from benchmarks.judging import Kept, Results, Subject, table
from protos.leap.verifier.v1 import verifier_pb2 as pb

PASSED = pb.Verdict(outcome=pb.OUTCOME_PASSED, build_road="slim")
FAULT = pb.Verdict(outcome=pb.OUTCOME_INFRA_ERROR, code=pb.CODE_INTERNAL)


def test_a_run_goes_on_where_the_last_one_stopped(tmp_path: Path) -> None:
    done, failed, changed = (Subject(f"area/{n}", pb.Task(id=n), n) for n in "abc")
    results = Results(tmp_path / "results.jsonl")
    assert results.missing([done, failed], "cpu") == [done, failed]
    results.add(done, "cpu", PASSED)
    results.add(failed, "cpu", FAULT)
    assert results.of(failed, "cpu").code == "INTERNAL"
    again = Results(tmp_path / "results.jsonl")
    assert again.of(done, "cpu") == Kept("PASSED", "slim", "")
    assert again.missing([done, failed, changed], "cpu") == [failed, changed]
    assert again.missing([done], "cuda") == [done]


def test_a_table_counts_by_area() -> None:
    rows = [("a", "x"), ("a", "y"), ("b", "x")]
    assert table(["x", "y"], rows)[2:] == [
        "| a | 2 | 1 | 1 |",
        "| b | 1 | 1 | 0 |",
        "| all | 3 | 2 | 1 |",
    ]


@pytest.mark.parametrize(
    ("auto", "torch", "says"),
    [
        (Kept("PASSED", "slim", ""), Kept("PASSED", "torch", ""), "slim"),
        (Kept("PASSED", "torch", ""), Kept("PASSED", "torch", ""), "torch"),
        (Kept("PASSED", "slim", ""), Kept("WRONG_VALUES", "torch", ""), "differ"),
        (Kept("COMPILE_ERROR", "slim", ""), Kept("PASSED", "torch", ""), "differ"),
        (Kept("PASSED", "slim", ""), Kept("INTERNAL", "torch", ""), "infrastructure"),
        (Kept("PASSED", "slim", ""), None, "slim"),
        (Kept("UNSUPPORTED", "slim", ""), None, "unsupported"),
    ],
)
def test_roads(auto: Kept, torch: Kept | None, says: str) -> None:
    assert roads.kind(auto, torch) == says


@pytest.mark.parametrize(
    ("cpu", "cuda", "luck", "says"),
    [
        ("WRONG_VALUES", "RUNTIME_ERROR", False, "agree"),
        ("PASSED", "WRONG_VALUES", False, "unsafe"),
        ("DATA_RACE", "PASSED", False, "luck"),
        ("WRONG_VALUES", "PASSED", True, "luck"),
        ("WRONG_VALUES", "PASSED", False, "too strict"),
        ("UNSUPPORTED", "PASSED", False, "unsupported"),
        ("PASSED", "WORKER_LOST", False, "infrastructure"),
    ],
)
def test_agreement(cpu: str, cuda: str, luck: bool, says: str) -> None:
    assert agreement.kind(cpu, cuda, luck) == says
