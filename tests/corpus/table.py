"""What the cpu target supports, as Markdown made from the corpus.

python -m tests.corpus.table > verifier_gpu/emulator/SUPPORT.md
"""

from __future__ import annotations

import re
from collections import defaultdict

from tests.corpus.cases import CORPUS, Case, load
from verifier_gpu.emulator.constructs import construct_names

_HEAD = """# What the cpu target supports

Written by `python -m tests.corpus.table` from [the corpus](../../tests/corpus): each line is a
submission that passes, and how the strict judge refuses it with one thing changed. What is
not here may work too.
"""


def table() -> str:
    """The whole document."""
    files: dict[str, list[Case]] = defaultdict(list)
    for case in load():
        files[case.name.split(":")[0]].append(case)
    parts, area = [_HEAD], ""
    for name, cases in files.items():
        if cases[0].area != area:
            area = cases[0].area
            parts += [f"\n## {area.replace('_', ' ').capitalize()}\n\n"]
            parts += ["| submission | changed, it is |\n", "|---|---|\n"]
        parts.append(f"| {_sentence(name)} | {_outcomes(cases)} |\n")
    gaps = [case for case in load() if case.is_gap]
    if gaps:
        parts.append(
            "\n## Known gaps\n\nThe cpu target says something else than the code here:\n\n"
        )
        parts += [f"- `{case.name}`: {case.code}\n" for case in gaps]
    parts.append("\n## Unsupported\n\n")
    parts.append("UNSUPPORTED, with the name: " + ", ".join(construct_names()) + ".\n")
    return "".join(parts)


def _sentence(name: str) -> str:
    """The first sentence of the file's head."""
    head = (CORPUS / f"{name}.cu").read_text().removeprefix("/*").split("\n\n")[0]
    sentence = re.split(r"(?<=[.:;])\s", " ".join(head.split()), maxsplit=1)[0]
    return sentence.rstrip(".:;").replace("|", "\\|")


def _outcomes(cases: list[Case]) -> str:
    codes = sorted({case.code for case in cases} - {"PASSED"})
    own = f"**{cases[0].code}**, as expected; " if not cases[0].is_right else ""
    return own + ", ".join(codes)


if __name__ == "__main__":
    print(table(), end="")
