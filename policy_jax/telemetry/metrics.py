"""Numbers of a run: one JSON object a line in metrics.jsonl, and TensorBoard."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

FILE_NAME = "metrics.jsonl"


class MetricsWriter:
    """Appends to `directory`/metrics.jsonl and `directory`/tensorboard.

    A line is written whole and flushed, so a killed run leaves a readable
    file; a resumed run appends, and readers take the last line of each
    (stage, step).
    """

    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / FILE_NAME
        torn = path.is_file() and path.read_bytes()[-1:] not in (b"", b"\n")
        self._file = path.open("a", encoding="utf-8")
        if torn:  # a line that a kill cut: close it, so that it spoils no other
            self._file.write("\n")
        self._board = _Board(directory / "tensorboard")

    def write(self, stage: str, step: int, values: Mapping[str, Any]) -> None:
        """Record numbers of one step; nested mappings become `outer/inner`.

        `stage` is "sft", "train" or the name of an evaluation. Values that are
        arrays of one element are taken as numbers. Raises OSError, for example
        on a full disk.
        """
        flat = _flatten(values)
        line = {"stage": stage, "step": step, "time": round(time.time(), 3), **flat}
        self._file.write(json.dumps(line) + "\n")
        self._file.flush()
        self._board.write(step, {f"{stage}/{name}": value for name, value in flat.items()})

    def close(self) -> None:
        """Flush both."""
        try:
            self._file.close()
        finally:
            self._board.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class _Board:
    """TensorBoard's event file, written in the caller's thread.

    tensorboardX's own SummaryWriter writes in another: on a full disk that
    thread dies, and the one that trains waits for it for ever.
    """

    def __init__(self, directory: Path) -> None:
        from tensorboardX.event_file_writer import EventsWriter

        directory.mkdir(exist_ok=True)
        self._events = EventsWriter(str(directory / "events"))

    def write(self, step: int, scalars: Mapping[str, float]) -> None:
        from tensorboardX.proto.event_pb2 import Event
        from tensorboardX.summary import scalar

        for name, value in scalars.items():
            event = Event(wall_time=time.time(), step=step, summary=scalar(name, value))
            self._events.write_event(event)
        self._events.flush()

    def close(self) -> None:
        self._events.close()


def read_metrics(directory: Path, stage: str) -> list[dict[str, Any]]:
    """The records of one stage by step, the last of each; a torn last line is left out."""
    path = directory / FILE_NAME
    if not path.is_file():
        return []
    records: dict[int, dict[str, Any]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            record = json.loads(line)
        except json.JSONDecodeError:
            continue
        if record["stage"] == stage:
            records[record["step"]] = record
    return [records[step] for step in sorted(records)]


def _flatten(values: Mapping[str, Any], prefix: str = "") -> dict[str, float | int]:
    flat: dict[str, float | int] = {}
    for name, value in values.items():
        if isinstance(value, Mapping):
            flat |= _flatten(value, f"{prefix}{name}/")
        else:
            flat[prefix + name] = value if isinstance(value, int) else float(value)
    return flat
