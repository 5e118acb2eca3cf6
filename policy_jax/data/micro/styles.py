"""The same kernel as another hand would write it: names, guards, launches."""

from __future__ import annotations

import re
from collections.abc import Callable

GUARD = re.compile(r"^  if \((\w+) < ([^&{]+)\) \{\n((?:    .*\n)+)  \}\n(?=\}\n)", re.MULTILINE)
LAUNCH = re.compile(r"^  kernel<<<(\(.+\) / \d+), (\d+)>>>\(\n", re.MULTILINE)


def plain(source: str) -> str:
    """As the families write it."""
    return source


def named_launch(source: str) -> str:
    """The output is called ``out`` and the number of blocks has a name."""
    source = re.sub(r"(?<!\.)\by\b", "out", source)
    return LAUNCH.sub(r"  int blocks = \1;\n  kernel<<<blocks, \2>>>(\n", source)


def early_return(source: str) -> str:
    """Threads beyond the data return at once."""

    def unindent(match: re.Match[str]) -> str:
        body = re.sub(r"^  ", "", match[3], flags=re.MULTILINE)
        return f"  if ({match[1]} >= {match[2]}) return;\n{body}"

    return GUARD.sub(unindent, source)


STYLES: dict[str, Callable[[str], str]] = {
    "plain": plain,
    "named_launch": named_launch,
    "early_return": early_return,
}
