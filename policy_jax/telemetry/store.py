"""Every rollout of a run, as it was sampled and judged.

One gzipped JSONL file a (stage, step) under RUN/rollouts, put in place
atomically: what is there is whole, also after a kill, and a step that a
resumed run does again replaces what it had written.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_FILE = re.compile(r"(?P<stage>.+)-(?P<step>\d+)\.jsonl\.gz")


@dataclass(frozen=True)
class StoredTurn:
    """One turn: what the model was told, what it said, and what came of it.

    `prompt_tokens` are those appended to the context before the model spoke;
    `tokens` and `logprobs` (at the sampling temperature) are the model's own.
    `outcome` is "passed", "failed" or "lost"; `code` is empty for a pass.
    `seconds` is the wait for the verdict. `advantage` is 0 in evaluation.
    """

    prompt: str
    response: str
    outcome: str
    code: str = ""
    message: str = ""
    feedback: str = ""
    advantage: float = 0.0
    truncated: bool = False
    seconds: float = 0.0
    digest: str = ""
    weight_version: int = 0
    prompt_tokens: tuple[int, ...] = ()
    tokens: tuple[int, ...] = ()
    logprobs: tuple[float, ...] = ()


@dataclass(frozen=True)
class StoredRollout:
    """One rollout. `decision` is what DCP said, or would have, of its group.

    `stage` is "train" or the name of an evaluation ("before", "after",
    "control"). `score` is the rank score in the group.
    """

    stage: str
    step: int
    task: str
    group: int
    member: int
    decision: str
    turns: tuple[StoredTurn, ...]
    score: float = 0.0
    out_of_room: bool = False

    @property
    def solved_at(self) -> int | None:
        """1-based turn at which it passed."""
        return len(self.turns) if self.turns[-1].outcome == "passed" else None

    @property
    def lost(self) -> bool:
        """Lost to an infrastructure error: in no measure."""
        return self.turns[-1].outcome == "lost"


def write_rollouts(directory: Path, rollouts: Iterable[StoredRollout]) -> None:
    """Store rollouts of one (stage, step) under the run `directory`.

    Raises OSError, for example on a full disk; nothing half written stays.
    """
    rollouts = list(rollouts)
    if not rollouts:
        return
    folder = directory / "rollouts"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{rollouts[0].stage}-{rollouts[0].step:06d}.jsonl.gz"
    unfinished = path.with_suffix(".tmp")
    try:
        with gzip.open(unfinished, "wt", encoding="utf-8", compresslevel=5) as file:
            file.writelines(json.dumps(_as_row(r), ensure_ascii=False) + "\n" for r in rollouts)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def read_rollouts(
    directory: Path, stage: str | None = None, step: int | None = None
) -> Iterator[StoredRollout]:
    """The stored rollouts of a run in the order of stage, step, group and member."""
    for path in sorted((directory / "rollouts").glob("*.jsonl.gz")):
        name = _FILE.fullmatch(path.name)
        if name is None or (stage is not None and name["stage"] != stage):
            continue
        if step is not None and int(name["step"]) != step:
            continue
        with gzip.open(path, "rt", encoding="utf-8") as file:
            yield from (_from_row(json.loads(line)) for line in file)


def _as_row(rollout: StoredRollout) -> dict[str, Any]:
    row = asdict(rollout)
    for turn in row["turns"]:
        turn["logprobs"] = [round(value, 5) for value in turn["logprobs"]]
    return row


def _from_row(row: dict[str, Any]) -> StoredRollout:
    turns = tuple(StoredTurn(**_with_tuples(turn)) for turn in row.pop("turns"))
    return StoredRollout(**row, turns=turns)


def _with_tuples(turn: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(v) if isinstance(v, list) else v for name, v in turn.items()}
