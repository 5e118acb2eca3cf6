"""The corpus: CUDA submissions with the verdict that each must get.

A file `AREA/NAME.cu` is a submission in format `cuda` with its task in the head
comment: a sentence, then Python that defines `reference` (what `forward` shall
compute) and `inputs` (its arguments). Marks at the ends of lines say which small
changes make it wrong, and how; they are cut from the text that is judged:

    __syncthreads();            //~ delete: DATA_RACE @load
    if (i < n) y[i] = x[i];     //~ "i < n" -> "true": ILLEGAL_MEMORY_ACCESS
    y[i] = s[31 - t];           //@load

Each `//~` makes one more case: the file with that line deleted, or with one text of
it replaced by another; several may stand on a line. `//@load` names a line, and
`CODE @load` expects that the verdict places its fault or first diagnostic there; a bare
`CODE` expects the place on the changed line itself where `@here` follows, and no
place otherwise. The unchanged file must pass, unless a line `expect: CODE @label` of
the head says otherwise. `gpu: PASSED` after an expectation marks what a GPU lets
pass by luck, which only a strict judge finds; `gap`, what the cpu target does not see yet.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

from protos.leap.verifier.v1 import verifier_pb2 as pb

CORPUS = Path(__file__).parent

_HEAD = re.compile(r"\A/\*(.*?)\*/\n", re.DOTALL)
_LABEL = re.compile(r"//@([\w ]+?)\s*(?=//|$)")
_MARK = re.compile(
    r"""//~\s*(?:delete|"(?P<old>[^"]*)"\s*->\s*"(?P<new>[^"]*)")\s*:\s*"""
    r"""(?P<code>[A-Z_]+)(?:\s+@(?P<at>\w+))?(?P<luck>\s+gpu:\s*PASSED)?(?P<gap>\s+gap)?"""
    r"""\s*(?=//|$)"""
)
_EXPECT = re.compile(r"^\s*expect:\s*([A-Z_]+)(?:\s+@(\w+))?(\s+gpu:\s*PASSED)?\s*$", re.MULTILINE)

_TASK = """
import torch

{body}

class Model(torch.nn.Module):
    def forward(self, *arguments):
        return reference(*arguments)

def get_inputs():
    return inputs()

def get_init_inputs():
    return []
"""


@dataclass(frozen=True)
class Case:
    """One submission and its expected verdict."""

    name: str  # "barriers/softmax", or "barriers/softmax:31" for a change of line 31
    task: pb.Task
    source: str
    code: str  # "PASSED", or a failure code without its prefix
    line: int | None  # where the verdict must place it, 1-based
    gpu_may_pass: bool  # a GPU lets it pass by luck
    is_gap: bool = False  # the cpu target is known to say something else

    @property
    def area(self) -> str:
        return self.name.split("/")[0]

    @property
    def is_right(self) -> bool:
        return self.code == "PASSED"


class MalformedCase(Exception):
    """A corpus file that says something the format does not know."""


def load(folder: Path = CORPUS) -> list[Case]:
    """All cases, in order of their names."""
    return [case for path in sorted(folder.glob("*/*.cu")) for case in _cases(path)]


def _cases(path: Path) -> list[Case]:
    text = path.read_text()
    name = f"{path.parent.name}/{path.stem}"
    head = _HEAD.match(text)
    if not head:
        raise MalformedCase(f"{path} does not begin with a comment that holds its task")
    lines = text.splitlines()
    plain = [_without_marks(line) for line in lines]
    labels = {
        label: number
        for number, line in enumerate(lines, start=1)
        for found in _LABEL.finditer(line)
        for label in found[1].split()
    }
    task = _task(name, head[1])
    expect = _EXPECT.search(head[1])
    code, at, luck = expect.groups() if expect else ("PASSED", None, None)
    cases = [Case(name, task, "\n".join(plain), code, _place(at, labels, 0, name), bool(luck))]
    for number, line in enumerate(lines, start=1):
        marks = list(_MARK.finditer(line))
        if len(marks) != line.count("//~"):
            raise MalformedCase(f"{path}:{number}: a mark that cannot be read")
        for index, mark in enumerate(marks):
            changed = _changed(plain, number, mark, path)
            letter = "" if len(marks) == 1 else "abcdefgh"[index]
            place = _place(mark["at"], labels, number, f"{path}:{number}")
            cases.append(
                Case(
                    f"{name}:{number}{letter}",
                    task,
                    "\n".join(changed),
                    mark["code"],
                    place,
                    bool(mark["luck"]),
                    bool(mark["gap"]),
                )
            )
    return cases


def _without_marks(line: str) -> str:
    return re.sub(r"\s*//[~@].*$", "", line)


def _changed(plain: list[str], number: int, mark: re.Match[str], path: Path) -> list[str]:
    line = plain[number - 1]
    if mark["old"] is None:
        new = ""
    elif line.count(mark["old"]) == 1:
        new = line.replace(mark["old"], mark["new"])
    else:
        raise MalformedCase(f"{path}:{number}: {mark['old']!r} does not occur once in the line")
    return [*plain[: number - 1], new, *plain[number:]]


def _place(at: str | None, labels: dict[str, int], here: int, name: str) -> int | None:
    if at is None:
        return None
    if at == "here" and here:
        return here
    if at not in labels:
        raise MalformedCase(f"{name}: no line is labelled //@{at}")
    return labels[at]


def _task(name: str, head: str) -> pb.Task:
    found = re.search(r"^(?:def|import|from|class) ", head, re.MULTILINE)
    if not found:
        raise MalformedCase(f"{name}: the head defines no reference")
    body = textwrap.dedent(head[found.start() :]).strip()
    return pb.Task(id=name, reference=_TASK.format(body=body))
