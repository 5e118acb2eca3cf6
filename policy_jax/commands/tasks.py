"""`leap tasks`: look at a source of tasks, or write it as files."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from policy_jax.data.tasks import Task, load_tasks


def print_tasks(source: str) -> None:
    """A table of the tasks on a terminal, tab-separated lines elsewhere."""
    tasks = load_tasks(source)
    console = Console()
    if not console.is_terminal:
        for task in tasks:
            print(task.id, task.level, task.family, task.split, sep="\t")
        return
    table = Table("task", "level", "family", "split")
    for task in tasks:
        table.add_row(task.id, str(task.level), task.family, task.split)
    console.print(table)
    splits = Counter(task.split for task in tasks)
    families = len({task.family for task in tasks})
    counts = ", ".join(f"{count} {split}" for split, count in splits.items())
    console.print(f"{len(tasks)} tasks of {families} families: {counts}")


def export_tasks(source: str, out: Path) -> None:
    """Write JSONL if `out` ends in .jsonl, else a folder that `load_tasks` reads back."""
    tasks = load_tasks(source)
    if out.suffix == ".jsonl":
        out.parent.mkdir(parents=True, exist_ok=True)
        rows = (json.dumps(asdict(task), ensure_ascii=False) + "\n" for task in tasks)
        out.write_text("".join(rows), encoding="utf-8")
    else:
        for task in tasks:
            path = out / _file_name(task)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(task.reference.rstrip("\n") + "\n", encoding="utf-8")
    print(f"{len(tasks)} tasks written to {out}")


def _file_name(task: Task) -> Path:
    """SPLIT/levelN/ID.py, the folders that `load_tasks` takes split and level from."""
    return Path(task.split, f"level{task.level}", f"{task.id}.py")
