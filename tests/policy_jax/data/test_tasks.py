"""Reading tasks from a folder, a JSONL file and the built-in suite."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from policy_jax.data.tasks import InputSet, TaskError, load_tasks

REFERENCE = """\
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)

def get_inputs():
    return [torch.randn(4)]

def get_init_inputs():
    return []
"""


def test_the_suite_is_built_in() -> None:
    tasks = load_tasks("leap-micro")
    assert {task.split for task in tasks} == {"train", "heldout"}
    assert tasks[0].input_sets == (
        InputSet("check"),
        InputSet("timing", inputs_function="get_timing_inputs"),
    )


def test_a_kernelbench_checkout(tmp_path: Path) -> None:
    for name in ("level1/10_b.py", "level1/2_a.py", "level2/1_c.py", ".venv/x.py"):
        path = tmp_path / "KernelBench" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(REFERENCE)
    (tmp_path / "setup.py").write_text("print('no task')")
    tasks = load_tasks(tmp_path)
    assert [task.id for task in tasks] == [
        "KernelBench/level1/2_a",
        "KernelBench/level1/10_b",
        "KernelBench/level2/1_c",
    ]
    assert [task.level for task in tasks] == [1, 1, 2]
    assert tasks[0].digest == "sha256:" + hashlib.sha256(REFERENCE.encode()).hexdigest()
    assert tasks[0].input_sets == (InputSet("check"),)


def test_jsonl(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    row = {"id": "a", "reference": REFERENCE, "level": 2, "extra_tolerance": [1e-3, 0]}
    path.write_text(json.dumps(row) + "\n\n" + json.dumps({**row, "id": "b", "split": "heldout"}))
    first, second = load_tasks(path)
    assert (first.level, first.extra_tolerance, first.split) == (2, (1e-3, 0.0), "train")
    assert second.split == "heldout"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("not json", "t.jsonl:1 is not JSON"),
        ("[1]", "t.jsonl:1 is not a JSON object"),
        ('{"id": "a"}', "needs the text fields id and reference"),
        ('{"id": "a", "reference": "x", "lvl": 1}', "unknown field 'lvl'"),
        ('{"id": "a", "reference": "x", "split": "test"}', "has split 'test'"),
        ('{"id": "a", "reference": "x = ("}', "task a: line 1 is not Python"),
        ('{"id": "a", "reference": "x = 1"}', "task a: it defines no class Model"),
        ('{"id": "a", "reference": "class Model: 1"}', "no function get_inputs()"),
        ('{"id": "a", "reference": "", "extra_tolerance": [1]}', "t.jsonl:1"),
        ("", "holds no task in KernelBench form"),
    ],
)
def test_bad_rows_get_one_sentence(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(text)
    with pytest.raises(TaskError) as caught:
        load_tasks(path)
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_repeated_ids_and_missing_paths(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text((json.dumps({"id": "a", "reference": REFERENCE}) + "\n") * 2)
    with pytest.raises(TaskError, match="two tasks named 'a'"):
        load_tasks(path)
    with pytest.raises(TaskError, match="no tasks at"):
        load_tasks(tmp_path / "none")
