"""Tasks and submissions from files, as the command line takes them.

A task is a Python file in KernelBench form. A file may name further sets of
inputs: `get_timing_inputs` (and `get_timing_init_inputs`) makes the set "timing".
Submissions: `.cu`, `.cuh` or `.cpp` text is format `cuda`, `.py` is `kernelbench`; a
JSONL file holds objects with `source` and, optionally, `format` and `id`.
"""

from __future__ import annotations

import ast
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from protos.leap.verifier.v1 import verifier_pb2 as pb

_SUFFIXES = {
    ".cu": pb.SUBMISSION_FORMAT_CUDA,
    ".cuh": pb.SUBMISSION_FORMAT_CUDA,
    ".cpp": pb.SUBMISSION_FORMAT_CUDA,
    ".py": pb.SUBMISSION_FORMAT_KERNELBENCH,
}
_FORMATS = {
    "cuda": pb.SUBMISSION_FORMAT_CUDA,
    "kernelbench": pb.SUBMISSION_FORMAT_KERNELBENCH,
}


class FileError(Exception):
    """A file that is not what it should be; one sentence."""


@dataclass(frozen=True)
class Named:
    """A submission with the name that its file, or its line, gives it."""

    name: str
    submission: pb.Submission


def load_task(path: Path) -> pb.Task:
    """The task in a file. Raises FileError if the file is missing or defines no Model."""
    reference = _read(path)
    try:
        names = _top_level_names(ast.parse(reference))
    except (SyntaxError, ValueError, RecursionError) as error:
        raise FileError(f"the task {path} is not valid Python: {error}") from None
    for name in ("Model", "get_inputs", "get_init_inputs"):
        if name not in names:
            raise FileError(
                f"the task {path} defines no {name}; a task defines Model, get_inputs "
                "and get_init_inputs"
            )
    task = pb.Task(id=path.stem, reference=reference, digest=digest(reference))
    if "get_timing_inputs" in names:
        init = "get_timing_init_inputs" if "get_timing_init_inputs" in names else ""
        task.input_sets.add(name="check")
        task.input_sets.add(
            name="timing", inputs_function="get_timing_inputs", init_inputs_function=init
        )
    return task


def digest(reference: str) -> str:
    """ "sha256:<hex>" of a reference, as in the contract."""
    return "sha256:" + hashlib.sha256(reference.encode()).hexdigest()


def load_submissions(source: str, format_: str | None, standard_input: str | None) -> list[Named]:
    """Submissions from a file, a folder, a JSONL file, or "-".

    Args:
        format_: "cuda" or "kernelbench"; None: by the file's suffix (standard
            input: `kernelbench` if it mentions ModelNew).
        standard_input: the text for "-".

    Raises FileError if there is none.
    """
    if source == "-":
        text = standard_input or ""
        guess = "kernelbench" if "ModelNew" in text else "cuda"
        return [Named("-", pb.Submission(format=_FORMATS[format_ or guess], source=text))]
    path = Path(source)
    if path.is_dir():
        files = sorted(child for child in path.rglob("*") if child.suffix in _SUFFIXES)
        if not files:
            raise FileError(f"the folder {path} holds no .cu and no .py file")
        return [_from_file(child, format_, str(child.relative_to(path))) for child in files]
    if path.suffix == ".jsonl":
        found = list(_from_lines(path, format_))
        if not found:
            raise FileError(f"{path} holds no submission")
        return found
    return [_from_file(path, format_, path.name)]


def _from_file(path: Path, format_: str | None, name: str) -> Named:
    text = _read(path)
    if format_ is not None:
        return Named(name, pb.Submission(format=_FORMATS[format_], source=text))
    if path.suffix not in _SUFFIXES:
        raise FileError(f"the format of {path} is unclear: name it .cu or .py, or give --format")
    return Named(name, pb.Submission(format=_SUFFIXES[path.suffix], source=text))


def _from_lines(path: Path, format_: str | None) -> Iterator[Named]:
    for number, line in enumerate(_read(path).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            source = entry["source"]
            kind = format_ or entry.get("format") or "cuda"
            submission = pb.Submission(format=_FORMATS[kind], source=source)
        except (ValueError, TypeError, KeyError, AttributeError):
            raise FileError(
                f"{path}, line {number}: not an object with `source` and `format` "
                "(cuda or kernelbench)"
            ) from None
        yield Named(str(entry.get("id") or f"line {number}"), submission)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise FileError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise FileError(f"{path} is not text in UTF-8") from None


def _top_level_names(tree: ast.Module) -> set[str]:
    names: set[str] = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            names.update(alias.asname or alias.name for alias in node.names)
    return names
