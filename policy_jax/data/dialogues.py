"""Dialogues that supervised training reads: the cold-start corpus and users' chats."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from policy_jax.data.tokenizer import Message
from policy_jax.errors import LeapError


class DialogueError(LeapError):
    """Dialogues that cannot be used; the message is one sentence for a person."""


@dataclass(frozen=True)
class Dialogue:
    """A chat about one task; the loss counts the messages marked ``train``."""

    task_id: str
    messages: tuple[Message, ...]


def split_by_task(
    dialogues: Sequence[Dialogue], fraction: float = 0.05
) -> tuple[list[Dialogue], list[Dialogue]]:
    """(training, validation) dialogues, in order; no task is on both sides.

    A task is validation when the hash of its id falls below ``fraction``, so that the
    split does not move when dialogues are added.
    """

    def is_validation(task_id: str) -> bool:
        digest = hashlib.sha256(task_id.encode()).digest()
        return int.from_bytes(digest[:8]) < fraction * 2**64

    validation = [each for each in dialogues if is_validation(each.task_id)]
    training = [each for each in dialogues if not is_validation(each.task_id)]
    return training, validation


def load_chats(path: str | Path) -> list[Dialogue]:
    """Read chat JSONL: rows ``{"messages": [{"role", "content", "train"?}]}``.

    Where no message of a row says ``train``, the assistant's last message is trained.
    ``task_id`` is optional. Raises `DialogueError`.
    """
    path = Path(path)
    if not path.is_file():
        raise DialogueError(f"no dialogues at {path}")
    dialogues = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip():
            where = f"{path}:{number}"
            try:
                row = json.loads(line)
            except json.JSONDecodeError as error:
                raise DialogueError(f"{where} is not JSON: {error.msg}") from None
            dialogues.append(_chat(row, where))
    if not dialogues:
        raise DialogueError(f"{path} holds no dialogue")
    return dialogues


def _chat(row: Any, where: str) -> Dialogue:
    if not isinstance(row, dict) or not isinstance(row.get("messages"), list):
        raise DialogueError(f'{where} needs "messages", a list of role and content')
    messages = [_message(each, where) for each in row["messages"]]
    if [each["role"] for each in messages] != ["user", "assistant"] * (len(messages) // 2):
        raise DialogueError(f"{where}: roles must alternate user, assistant, and end so")
    if not messages:
        raise DialogueError(f"{where} has no messages")
    if not any("train" in each for each in messages):
        messages[-1]["train"] = True
    return Dialogue(str(row.get("task_id", where)), tuple(messages))


def _message(value: Any, where: str) -> Message:
    if not isinstance(value, dict) or not isinstance(value.get("content"), str):
        raise DialogueError(f"{where}: a message needs role and content, both text")
    if value.get("role") not in ("user", "assistant"):
        raise DialogueError(f"{where}: role {value.get('role')!r} is neither user nor assistant")
    message: Message = {"role": value["role"], "content": value["content"]}
    if "train" in value:
        message["train"] = bool(value["train"])
    return message
