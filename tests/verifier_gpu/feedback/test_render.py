from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protos.leap.verifier.v1 import verifier_pb2 as pb
from verifier_gpu.feedback import render as module
from verifier_gpu.feedback.render import render, template_names

SOURCE = "line one\nint i := 3;\nline three\n"
SUBMISSION = pb.Submission(format=pb.SUBMISSION_FORMAT_CUDA, source=SOURCE)

COMPILE_ERROR = pb.Verdict(
    outcome=pb.OUTCOME_FAILED,
    stage=pb.STAGE_COMPILE,
    code=pb.CODE_COMPILE_ERROR,
    message="expected initializer",
    diagnostics=[
        pb.Diagnostic(file="submission.cu", line=2, column=7, message="expected initializer"),
        pb.Diagnostic(file="submission.cu", line=3, message="second"),
        pb.Diagnostic(file="cuda_runtime.h", line=2, message="third"),
    ],
)
WRONG = pb.Verdict(
    outcome=pb.OUTCOME_FAILED,
    stage=pb.STAGE_COMPARE,
    code=pb.CODE_WRONG_VALUES,
    message="the output has 3 of 9 values wrong",
    mismatch=pb.Mismatch(
        mismatched=3, total=9, first_bad_index=[1, 2], expected_at_first=0.5, actual_at_first=-1.25
    ),
)
FAULT = pb.Verdict(
    outcome=pb.OUTCOME_FAILED,
    stage=pb.STAGE_RUN,
    code=pb.CODE_ILLEGAL_MEMORY_ACCESS,
    message="read of 4 bytes out of bounds",
    fault=pb.Fault(kernel="k", block=pb.Dim3(x=1), thread=pb.Dim3(x=5), line=2),
)
PASSED = pb.Verdict(outcome=pb.OUTCOME_PASSED, stage=pb.STAGE_COMPARE)
ALL = [COMPILE_ERROR, WRONG, FAULT, PASSED]


def feedback(verdict: pb.Verdict, template: str = "", max_bytes: int = 0) -> pb.Verdict:
    made = pb.Verdict()
    made.CopyFrom(verdict)
    render(made, SUBMISSION, pb.FeedbackOptions(template=template, max_bytes=max_bytes))
    return made


def test_diagnostics_quote_the_line() -> None:
    text = feedback(COMPILE_ERROR).feedback
    assert "line 2: expected initializer\n  int i := 3;" in text
    assert "cuda_runtime.h, line 2: third" in text
    compact = feedback(COMPILE_ERROR, "compact").feedback
    assert "int i := 3;" in compact and "second" not in compact


def test_mismatch_says_expected_and_actual() -> None:
    for template in ("default", "compact"):
        text = feedback(WRONG, template).feedback
        assert "output[1, 2] is -1.25, expected 0.5" in text and "3 of 9" in text


def test_fault_says_where() -> None:
    text = feedback(FAULT, "compact").feedback
    assert "in kernel k, block (1, 0, 0) thread (5, 0, 0), line 2: int i := 3;" in text


def test_compact_is_compact() -> None:
    for verdict in ALL:
        assert len(feedback(verdict, "compact").feedback.encode()) < 300


def test_the_template_is_named_with_its_digest() -> None:
    made = feedback(WRONG, "compact")
    path = Path(module.__file__).parent / "templates" / "compact.txt"
    assert made.feedback_template == "compact"
    assert (
        made.feedback_template_digest == f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    )
    assert feedback(WRONG).feedback_template == "default"


def test_nothing_is_said_of_what_there_is_not() -> None:
    assert feedback(PASSED).feedback == "The kernel is correct."
    assert feedback(PASSED, "compact").feedback == "PASSED"


def test_diagnostics_go_before_the_text_is_cut() -> None:
    whole = feedback(COMPILE_ERROR).feedback
    shorter = feedback(COMPILE_ERROR, max_bytes=len(whole.encode()) - 1).feedback
    assert "third" not in shorter and "second" in shorter


@pytest.mark.parametrize("template", template_names())
@given(st.integers(1, 400), st.sampled_from(ALL), st.text(max_size=100))
def test_the_budget_holds(template: str, limit: int, verdict: pb.Verdict, message: str) -> None:
    longer = pb.Verdict()
    longer.CopyFrom(verdict)
    longer.message = message.encode("utf-8", "replace").decode()
    assert len(feedback(longer, template, limit).feedback.encode()) <= limit
