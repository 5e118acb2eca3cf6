from __future__ import annotations

from pathlib import Path

import pytest

from protos.leap.verifier.v1 import verifier_pb2 as pb
from verifier_gpu.service import saving


def test_round_trip(tmp_path: Path) -> None:
    request = pb.VerifyRequest(
        client_id="me",
        request_id="1",
        task=pb.Task(id="t", reference="class Model: ..."),
        submissions=[
            pb.Submission(format=pb.SUBMISSION_FORMAT_CUDA, source="a"),
            pb.Submission(format=pb.SUBMISSION_FORMAT_KERNELBENCH, source="b"),
        ],
    )
    verdict = pb.Verdict(
        outcome=pb.OUTCOME_FAILED, code=pb.CODE_WRONG_VALUES, seed=9,
        provenance=pb.Provenance(target=pb.TARGET_CPU),
    )  # fmt: skip
    saving.save(tmp_path, "dir/b.py", request, 1, verdict)
    (loaded,) = saving.load(tmp_path)
    assert loaded.verdict == verdict
    assert loaded.request.seed == 9 and loaded.request.target == pb.TARGET_CPU
    assert [s.source for s in loaded.request.submissions] == ["b"]
    assert not loaded.request.request_id
    assert (tmp_path / "dir_b.py" / "submission.py").read_text() == "b"


def test_differences() -> None:
    before = pb.Verdict(outcome=pb.OUTCOME_PASSED)
    assert saving.differences(before, before) == []
    after = pb.Verdict(outcome=pb.OUTCOME_FAILED, code=pb.CODE_TIMEOUT)
    assert len(saving.differences(before, after)) == 2


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(saving.SaveError, match="holds nothing"):
        saving.load(tmp_path)
    (tmp_path / "request.json").write_text("{")
    with pytest.raises(saving.SaveError, match="cannot be read"):
        saving.load(tmp_path)
