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
    """``forward`` calls its output ``out`` and gives the number of blocks a name."""
    kernel, head, host = source.partition(" forward(")
    host = re.sub(r"\by\b", "out", host)
    return kernel + head + LAUNCH.sub(r"  int blocks = \1;\n  kernel<<<blocks, \2>>>(\n", host)


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
