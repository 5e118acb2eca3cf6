"""What the model is shown, and how its answer is read.

The wording lives in `templates/*.txt`, so that a person can read and change
it; the cold-start corpus and the rollouts use the same functions, hence the
same text.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Protocol

FENCE = "```"


class HasReference(Protocol):
    """Anything with the text of a task in KernelBench form."""

    @property
    def reference(self) -> str: ...


def first_prompt(task: HasReference) -> str:
    """The user's first message: the instruction and the reference's text."""
    return _template("first").replace("{reference}", task.reference.strip())


def feedback_prompt(feedback: str) -> str:
    """The user's message after a failed turn: the verifier's feedback."""
    return _template("feedback").replace("{feedback}", feedback.strip())


def cut_off() -> str:
    """The feedback on a turn that hit the length limit, which no verifier saw."""
    return _template("cut_off")


def extract_code(response: str) -> str | None:
    """The source in the last complete code fence of `response`, else None.

    The one rule: a line that starts with ``` and goes on (```cuda) opens a
    fence, also when another is open, whose text is then dropped; a bare ```
    line closes the open fence, or opens one where none is open. A fence that
    is never closed is not an answer. A fence of only white space is none.
    """
    code: str | None = None
    open_lines: list[str] | None = None
    for line in response.splitlines(keepends=True):
        if not line.startswith(FENCE):
            if open_lines is not None:
                open_lines.append(line)
        elif line.strip() == FENCE and open_lines is not None:
            code, open_lines = "".join(open_lines), None
        else:
            open_lines = []
    return code if code is not None and code.strip() else None


@cache
def _template(name: str) -> str:
    text = files(__package__).joinpath("templates", f"{name}.txt").read_text(encoding="utf-8")
    return text.strip("\n")
