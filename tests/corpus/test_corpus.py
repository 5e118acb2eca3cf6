"""Every submission of the corpus gets its expected verdict, and as a whole it is what it says."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from protos.leap.verifier.v1 import verifier_pb2 as pb
from tests.corpus.cases import CORPUS, Case, MalformedCase, load
from tests.corpus.table import table
from tests.verifying import Verifier, code
from verifier_gpu.build import toolchain
from verifier_gpu.build.builder import Builder
from verifier_gpu.build.request import BuildRequest, SourceFile

CASES = load()
#: Text that a compiler judges: each file as it stands, and what a compiler shall refuse.
COMPILED = [case for case in CASES if ":" not in case.name or case.code == "COMPILE_ERROR"]
SAMPLE = COMPILED[:: max(1, len(COMPILED) // 5)][:5]


def place(verdict: pb.Verdict) -> int:
    """The line at which a verdict places what went wrong; 0: it names none."""
    if verdict.fault.line:
        return verdict.fault.line
    return next((d.line for d in verdict.diagnostics if d.line), 0)


@pytest.mark.parametrize(
    "case",
    [
        pytest.param(
            case, marks=pytest.mark.xfail(strict=True) if case.is_gap else (), id=case.name
        )
        for case in CASES
    ],
)
def test_on_the_cpu_target(case: Case, verifier: Verifier) -> None:
    verdict = verifier.verdict(case.source, task=case.task, timeout=60.0)
    assert code(verdict) == case.code, verdict
    if case.line is not None:
        assert place(verdict) == case.line, verdict


@pytest.mark.skipif(shutil.which("nvcc") is None, reason="needs nvcc")
@pytest.mark.parametrize(
    "case",
    [
        pytest.param(case, marks=() if case in SAMPLE else pytest.mark.exhaustive, id=case.name)
        for case in COMPILED
        if case.code != "UNSUPPORTED"
    ],
)
async def test_nvcc_accepts_and_refuses_the_same(case: Case, tmp_path: Path) -> None:
    if "cublas" in case.source and toolchain.cublas() is None:
        pytest.skip("needs cuBLAS")
    sources = (SourceFile("submission.cu", case.source, "cuda"),)
    result = await Builder(tmp_path).build(BuildRequest("cuda", sources), 120.0)
    refused = result.code == "COMPILE_ERROR"
    assert refused == (case.code == "COMPILE_ERROR"), (result.message, result.diagnostics)
    assert result.code is None or refused, result.message


def test_every_barrier_is_needed() -> None:
    files = list((CORPUS / "barriers").glob("*.cu"))
    for path in files:
        for number, line in enumerate(path.read_text().splitlines(), start=1):
            if re.search(r"__syncthreads(_\w+)?\(", line):
                assert "//~" in line, f"{path.name}:{number} has no case without this barrier"


def test_the_table_is_of_this_corpus() -> None:
    assert (CORPUS.parents[1] / "verifier_gpu/emulator/SUPPORT.md").read_text() == table()


def test_every_area_has_right_and_wrong() -> None:
    by_area = Counter((case.area, case.is_right) for case in CASES)
    for area in {case.area for case in CASES}:
        assert by_area[area, False] > 0, area


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("__global__ void f() {}\n", "does not begin with a comment"),
        ("/* no task */\n", "defines no reference"),
        ("/*\ndef reference():\n*/\nint x;  //~ dele: DATA_RACE\n", "cannot be read"),
        ('/*\ndef reference():\n*/\nint x;  //~ "y" -> "z": DATA_RACE\n', "does not occur once"),
        ("/*\ndef reference():\n*/\nint x;  //~ delete: DATA_RACE @there\n", "no line is labelled"),
    ],
)
def test_a_malformed_file_is_refused(text: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "area").mkdir()
    (tmp_path / "area" / "name.cu").write_text(text)
    with pytest.raises(MalformedCase, match=says):
        load(tmp_path)


def test_marks_become_cases(tmp_path: Path) -> None:
    text = (
        "/* A.\nexpect: TIMEOUT\ndef reference(): pass\n*/\n"
        "a;  //@one two  //~ delete: DATA_RACE @two\n"
        'b;  //~ "b" -> "c": PASSED @here  //~ delete: BAD_LAUNCH gpu: PASSED\n'
    )
    (tmp_path / "area").mkdir()
    (tmp_path / "area" / "name.cu").write_text(text)
    found = load(tmp_path)
    assert [(c.name, c.source.split("*/\n")[1], c.code, c.line, c.gpu_may_pass) for c in found] == [
        ("area/name", "a;\nb;", "TIMEOUT", None, False),
        ("area/name:5", "\nb;", "DATA_RACE", 5, False),
        ("area/name:6a", "a;\nc;", "PASSED", 6, False),
        ("area/name:6b", "a;\n", "BAD_LAUNCH", None, True),
    ]
