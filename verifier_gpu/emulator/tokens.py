"""A CUDA C++ tokenizer with bracket matching.

The rewriter works on tokens, not on a syntax tree: every construct that it
replaces (a launch, a kernel's head, a ``__shared__`` declaration) is delimited
by brackets, and half of the launches in public kernels stand inside ``#define``
bodies, which a tree keeps as raw text. Tokens read the same in both places.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_TOKEN = re.compile(
    r"""
    (?P<space>(?:\s|\\\r?\n)+)
  | (?P<comment>//(?:\\\r?\n|[^\n])*|/\*.*?(?:\*/|\Z))
  | (?P<raw>(?:u8|[uUL])?R"(?P<delimiter>[^()\\\s]{0,16})\(.*?\)(?P=delimiter)")
  | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
  | (?P<char>(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
  | (?P<number>\.?[0-9](?:[eEpP][+-]|'[0-9a-zA-Z_]|[0-9a-zA-Z_.])*)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<symbol><<<|>>>|::|->|\#\#|\.\.\.|&&|\|\||<<=|>>=|[-+*/%&|^=!<>]=|.)
    """,
    re.VERBOSE | re.DOTALL,
)

_CLOSERS = {"(": ")", "[": "]", "{": "}"}


@dataclass(frozen=True)
class Token:
    """One token: its text and the half-open range [start, end) in the source."""

    kind: str
    text: str
    start: int
    end: int


class Tokens:
    """The significant tokens of a source (no spaces, no comments).

    ``match[i]`` is the index of the bracket that closes or opens the bracket at
    ``i``; unbalanced brackets have no entry. Preprocessor lines take part in the
    sequence, but their brackets match only within their own line, so that a
    macro body cannot unbalance the code around it.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.items: list[Token] = []
        self.match: dict[int, int] = {}
        self.directive: list[bool] = []  # the token is part of a preprocessor line
        self._newlines = [m.start() for m in re.finditer("\n", text)]
        self._scan()
        self._match_brackets()

    def _scan(self) -> None:
        position, in_directive, line_begins = 0, False, True
        while position < len(self.text):
            found = _TOKEN.match(self.text, position)
            assert found is not None  # the last alternative takes any character
            kind = found.lastgroup or "symbol"
            kind = "raw" if kind == "delimiter" else kind
            position = found.end()
            if kind in ("space", "comment"):
                if _breaks_line(found.group(), kind):
                    in_directive, line_begins = False, True
                continue
            if line_begins and found.group() == "#":
                in_directive = True
            line_begins = False
            self.items.append(Token(kind, found.group(), found.start(), found.end()))
            self.directive.append(in_directive)

    def _match_brackets(self) -> None:
        stack: list[int] = []
        line_stack: list[int] = []
        was_directive = False
        for i, token in enumerate(self.items):
            if self.directive[i] and (not was_directive or token.text == "#"):
                line_stack = []
            was_directive = self.directive[i]
            opened = line_stack if self.directive[i] else stack
            if token.kind != "symbol":
                continue
            if token.text in _CLOSERS:
                opened.append(i)
            elif token.text in _CLOSERS.values():
                while opened and _CLOSERS[self.items[opened[-1]].text] != token.text:
                    opened.pop()
                if opened:
                    j = opened.pop()
                    self.match[i], self.match[j] = j, i

    def line(self, index: int) -> int:
        """The 1-based source line of token ``index``."""
        low, high, start = 0, len(self._newlines), self.items[index].start
        while low < high:
            middle = (low + high) // 2
            if self._newlines[middle] < start:
                low = middle + 1
            else:
                high = middle
        return low + 1

    def is_text(self, index: int, text: str) -> bool:
        """Whether there is a token ``index`` and it reads ``text``."""
        return 0 <= index < len(self.items) and self.items[index].text == text

    def source(self, first: int, last: int) -> str:
        """The source from token ``first`` to token ``last``, both included."""
        return self.text[self.items[first].start : self.items[last].end]


def _breaks_line(text: str, kind: str) -> bool:
    if kind == "comment" and text.startswith("/*"):
        return False
    return "\n" in re.sub(r"\\\r?\n", "", text)
