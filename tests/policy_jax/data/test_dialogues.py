"""Chats of users, and the split into training and validation."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from policy_jax.data.dialogues import Dialogue, DialogueError, load_chats, split_by_task


def write(path: Path, *rows: object) -> Path:
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return path


def chat(*contents: str) -> list[dict[str, object]]:
    roles = ("user", "assistant")
    return [{"role": roles[k % 2], "content": text} for k, text in enumerate(contents)]


def test_the_last_answer_is_trained_unless_said_otherwise(tmp_path: Path) -> None:
    said = chat("a", "b", "c", "d")
    said[1]["train"] = True
    path = write(tmp_path / "c.jsonl", {"messages": chat("a", "b", "c", "d")}, {"messages": said})
    plain, marked = load_chats(path)
    assert [each.get("train", False) for each in plain.messages] == [False, False, False, True]
    assert [each.get("train", False) for each in marked.messages] == [False, True, False, False]


@pytest.mark.parametrize(
    ("row", "words"),
    [
        ("{", "is not JSON"),
        ({"chat": []}, 'needs "messages"'),
        ({"messages": []}, "has no messages"),
        ({"messages": chat("a")}, "must alternate"),
        ({"messages": [{"role": "system", "content": "a"}]}, "neither user nor assistant"),
        ({"messages": [{"role": "user"}]}, "needs role and content"),
        ("", "holds no dialogue"),
    ],
)
def test_bad_rows_get_one_sentence(tmp_path: Path, row: object, words: str) -> None:
    with pytest.raises(DialogueError) as caught:
        load_chats(write(tmp_path / "c.jsonl", row))
    assert words in str(caught.value) and "\n" not in str(caught.value)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DialogueError, match="no dialogues at"):
        load_chats(tmp_path / "none.jsonl")


def test_split_keeps_tasks_whole_and_order() -> None:
    dialogues = [Dialogue(f"t{k % 300}", ()) for k in range(600)]
    train, validation = split_by_task(dialogues, 0.1)
    assert len(train) + len(validation) == 600
    assert not {d.task_id for d in train} & {d.task_id for d in validation}
    assert 20 <= len(validation) <= 110
    assert split_by_task(dialogues[:300], 0.1)[1] == validation[: len(validation) // 2]
