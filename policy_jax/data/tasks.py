"""Tasks in KernelBench form: what a policy is asked to write kernels for.

A task is text. It defines ``Model``, ``get_inputs()`` and ``get_init_inputs()``;
this side of LEAP parses it and never runs it, since running it takes torch.
"""

from __future__ import annotations

import ast
import hashlib
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from policy_jax.errors import LeapError

SPLITS = ("train", "heldout")
BUILT_IN = "leap-micro"
WITH_PRACTICE = "leap-micro+practice"


class TaskError(LeapError):
    """A task that cannot be used; the message is one sentence for a person."""


@dataclass(frozen=True)
class InputSet:
    """Which functions of the reference make one set of inputs.

    ``name`` is ``check`` (small, for correctness) or ``timing`` (large enough to
    time). An empty function name stands for KernelBench's own.
    """

    name: str
    inputs_function: str = "get_inputs"
    init_inputs_function: str = "get_init_inputs"


@dataclass(frozen=True)
class Task:
    """One problem: PyTorch text whose ``Model`` a CUDA kernel has to equal.

    ``level`` is KernelBench's (0 where unknown), ``family`` names the structure,
    ``split`` is ``train`` or ``heldout``. ``extra_tolerance`` is (absolute,
    relative), added to what the verifier derives.
    """

    id: str
    reference: str
    level: int = 0
    family: str = ""
    split: str = "train"
    input_sets: tuple[InputSet, ...] = ()
    extra_tolerance: tuple[float, float] | None = None

    @property
    def digest(self) -> str:
        """``sha256:<hex>`` of the reference in UTF-8, as the contract wants it."""
        return "sha256:" + hashlib.sha256(self.reference.encode()).hexdigest()


def load_tasks(source: str | Path) -> list[Task]:
    """The tasks that ``source`` names, in a fixed order.

    ``source`` is ``leap-micro``, ``leap-micro+practice`` (some 3,500 training tasks
    more, none of them in the cold-start corpus), a folder of KernelBench ``.py`` files
    (searched recursively; files of a ``heldout`` folder are held out), or a JSONL file
    whose rows have ``id``, ``reference`` and optionally the other fields of `Task`.

    Raises `TaskError`.
    """
    if str(source) in (BUILT_IN, WITH_PRACTICE):
        from policy_jax.data.micro import open_practice, suite

        more = open_practice() if str(source) == WITH_PRACTICE else ()
        return [each.task for each in (*suite(), *more)]
    path = Path(source)
    if path.is_dir():
        tasks = _from_folder(path)
    elif path.is_file():
        tasks = list(_from_jsonl(path))
    else:
        raise TaskError(
            f"no tasks at {path}: give a folder, a JSONL file, {BUILT_IN} or {WITH_PRACTICE}"
        )
    if not tasks:
        raise TaskError(f"{path} holds no task in KernelBench form (a .py file with class Model)")
    _refuse_repeated_ids(tasks, path)
    return tasks


def parse_reference(text: str, name: str) -> ast.Module:
    """The syntax tree of a reference in KernelBench form; raises `TaskError`."""
    try:
        tree = ast.parse(text)
    except SyntaxError as error:
        raise TaskError(f"task {name}: line {error.lineno} is not Python: {error.msg}") from None
    defined = _defined_names(tree)
    if "Model" not in defined:
        raise TaskError(f"task {name}: it defines no class Model")
    for function in ("get_inputs", "get_init_inputs"):
        if function not in defined:
            raise TaskError(f"task {name}: it defines no function {function}()")
    return tree


def _defined_names(tree: ast.Module) -> set[str]:
    kinds = (ast.ClassDef, ast.FunctionDef)
    return {node.name for node in tree.body if isinstance(node, kinds)}


def _task(text: str, name: str, **fields: Any) -> Task:
    tree = parse_reference(text, name)
    sets = fields.pop("input_sets", ()) or _default_input_sets(_defined_names(tree))
    return Task(id=name, reference=text, input_sets=sets, **fields)


def _default_input_sets(defined: set[str]) -> tuple[InputSet, ...]:
    check = InputSet("check")
    if "get_timing_inputs" not in defined:
        return (check,)
    return (check, InputSet("timing", inputs_function="get_timing_inputs"))


def _from_folder(folder: Path) -> list[Task]:
    tasks = []
    for path in sorted(folder.rglob("*.py"), key=_natural_order):
        text = path.read_text(encoding="utf-8", errors="replace")
        inner = path.relative_to(folder)
        hidden = any(part.startswith((".", "__")) for part in inner.parts)
        if hidden or not re.search(r"^class Model\b", text, re.MULTILINE):
            continue  # a helper script of the checkout
        parents = inner.parts[:-1]
        level = next((int(m[1]) for p in parents if (m := re.fullmatch(r"level_?(\d+)", p))), 0)
        split = "heldout" if "heldout" in parents else "train"
        name = inner.with_suffix("").as_posix()
        family = parents[-1] if parents else ""
        tasks.append(_task(text, name, level=level, family=family, split=split))
    return tasks


def _natural_order(path: Path) -> list[tuple[int, str]]:
    """KernelBench numbers its files: 2_x comes before 10_x."""
    pieces = re.split(r"(\d+)", path.as_posix())
    return [(int(piece), "") if piece.isdigit() else (-1, piece) for piece in pieces]


def _from_jsonl(path: Path) -> Iterable[Task]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise TaskError(f"{where} is not JSON: {error.msg}") from None
        if not isinstance(row, Mapping):
            raise TaskError(f"{where} is not a JSON object")
        yield _from_row(row, where)


def _from_row(row: Mapping[str, Any], where: str) -> Task:
    known = {"id", "reference", "level", "family", "split", "input_sets", "extra_tolerance"}
    if unknown := sorted(set(row) - known):
        raise TaskError(f"{where} has an unknown field {unknown[0]!r}; known: {sorted(known)}")
    if not isinstance(row.get("id"), str) or not isinstance(row.get("reference"), str):
        raise TaskError(f"{where} needs the text fields id and reference")
    if row.get("split", "train") not in SPLITS:
        raise TaskError(f"{where} has split {row['split']!r}; it is one of {', '.join(SPLITS)}")
    fields: dict[str, Any] = {k: row[k] for k in ("level", "family", "split") if k in row}
    try:
        fields["input_sets"] = tuple(InputSet(**each) for each in row.get("input_sets") or ())
        if row.get("extra_tolerance") is not None:
            absolute, relative = map(float, row["extra_tolerance"])
            fields["extra_tolerance"] = (absolute, relative)
    except (TypeError, ValueError) as error:
        raise TaskError(f"{where}: {error}") from None
    return _task(row["reference"], row["id"], **fields)


def _refuse_repeated_ids(tasks: list[Task], path: Path) -> None:
    seen: set[str] = set()
    for task in tasks:
        if task.id in seen:
            raise TaskError(f"{path} holds two tasks named {task.id!r}")
        seen.add(task.id)
