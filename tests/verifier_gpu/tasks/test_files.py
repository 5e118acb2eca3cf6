from __future__ import annotations

import json
from pathlib import Path

import pytest

from protos.leap.verifier.v1 import verifier_pb2 as pb
from verifier_gpu.tasks.files import FileError, digest, load_submissions, load_task

TASK = """
class Model: ...
def get_inputs(): return []
get_init_inputs = lambda: []
"""


def test_task(tmp_path: Path) -> None:
    path = tmp_path / "relu.py"
    path.write_text(TASK)
    task = load_task(path)
    assert (task.id, task.reference, task.digest) == ("relu", TASK, digest(TASK))
    assert not task.input_sets


def test_task_with_timing_inputs(tmp_path: Path) -> None:
    path = tmp_path / "relu.py"
    path.write_text(TASK + "def get_timing_inputs(): return []\n")
    sets = {entry.name: entry for entry in load_task(path).input_sets}
    assert sets["timing"].inputs_function == "get_timing_inputs"
    assert sets["timing"].init_inputs_function == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("x = 1", "defines no Model"),
        ("class Model: ...", "defines no get_inputs"),
        ("def (", "not valid Python"),
        (None, "cannot read"),
    ],
)
def test_broken_tasks(tmp_path: Path, text: str | None, reason: str) -> None:
    path = tmp_path / "task.py"
    if text is not None:
        path.write_text(text)
    with pytest.raises(FileError, match=reason):
        load_task(path)


def test_submissions(tmp_path: Path) -> None:
    (tmp_path / "a.cu").write_text("A")
    (tmp_path / "b.py").write_text("B")
    (tmp_path / "c.txt").write_text("C")
    cuda, kernelbench = load_submissions(str(tmp_path), None, None)
    assert cuda.submission.format == pb.SUBMISSION_FORMAT_CUDA and cuda.name == "a.cu"
    assert kernelbench.submission.format == pb.SUBMISSION_FORMAT_KERNELBENCH
    assert load_submissions(str(tmp_path / "c.txt"), "cuda", None)[0].submission.source == "C"
    with pytest.raises(FileError, match="unclear"):
        load_submissions(str(tmp_path / "c.txt"), None, None)


def test_standard_input() -> None:
    (named,) = load_submissions("-", None, "class ModelNew: ...")
    assert named.submission.format == pb.SUBMISSION_FORMAT_KERNELBENCH
    (named,) = load_submissions("-", None, "forward")
    assert named.submission.format == pb.SUBMISSION_FORMAT_CUDA


def test_jsonl(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    rows = [{"source": "A"}, {"id": "x", "source": "B", "format": "kernelbench"}]
    path.write_text("\n".join(map(json.dumps, rows)) + "\n\n")
    first, second = load_submissions(str(path), None, None)
    assert first.name == "line 1" and second.name == "x"
    assert second.submission.format == pb.SUBMISSION_FORMAT_KERNELBENCH
    for bad in ("{", "[]", '{"source": 3}', '{"source": "a", "format": "ptx"}'):
        path.write_text(bad)
        with pytest.raises(FileError, match="line 1"):
            load_submissions(str(path), None, None)
    path.write_text("")
    with pytest.raises(FileError, match="no submission"):
        load_submissions(str(path), None, None)


def test_an_empty_folder(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"no \.cu"):
        load_submissions(str(tmp_path), None, None)
