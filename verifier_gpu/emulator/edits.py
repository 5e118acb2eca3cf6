"""Changes to a source's text that keep its lines where they are."""

from __future__ import annotations

import json
import re

from verifier_gpu.emulator.tokens import Tokens


class Edits:
    """Replacements of ranges of a text that do not overlap; insertions are empty ranges."""

    def __init__(self) -> None:
        self._edits: list[tuple[int, int, str]] = []

    def replace(self, start: int, end: int, text: str) -> None:
        self._edits.append((start, end, text))

    def insert(self, position: int, text: str) -> None:
        self._edits.append((position, position, text))

    def delete(self, start: int, end: int, source: str) -> None:
        """Deletes a range but keeps its line breaks."""
        self.replace(start, end, line_breaks(source[start:end]))

    def apply(self, text: str) -> str:
        parts, position = [], 0
        for start, end, new in sorted(self._edits, key=lambda edit: (edit[0], edit[1])):
            if start < position:
                continue  # inside a range that is replaced as a whole
            parts += [text[position:start], new]
            position = end
        return "".join([*parts, text[position:]])


def line_breaks(text: str) -> str:
    """The line breaks of a text, so that what replaces it takes as many lines."""
    return "".join(re.findall(r"\\?\r?\n", text))


def one_line(text: str) -> str:
    """The text without comments and line breaks."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    return re.sub(r"(?:\s|\\\r?\n)+", " ", text)


def refuse(tokens: Tokens, edits: Edits, index: int, message: str) -> None:
    """Makes the compiler report the message as an error at token ``index``."""
    pragma = json.dumps(f"GCC error {json.dumps(message)}")
    edits.insert(tokens.items[index].start, f"_Pragma({pragma}) ")
