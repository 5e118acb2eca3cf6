"""Member functions of the host, which no kernel may call.

Which member a call means is known to the compiler alone, above all in a template. So
every member that is not marked for the device tells the runtime when a kernel is in it.
"""

from __future__ import annotations

import json

from verifier_gpu.emulator.edits import Edits
from verifier_gpu.emulator.functions import (
    device_macros_of,
    parameter_list,
    spaces_of,
    statements,
)
from verifier_gpu.emulator.tokens import Tokens

_CLASSES = frozenset(["struct", "class", "union"])
_BEFORE_BODY = frozenset([")", "const", "noexcept", "override", "final", "&", "&&", "}"])


def guard_host_members(tokens: Tokens, edits: Edits) -> None:
    """Puts a guard into the body of every member function that nvcc gives to the host alone."""
    macros = device_macros_of(tokens)
    classes = [(0, len(tokens.items))]
    while classes:
        first, last = classes.pop()
        is_class = first > 0
        for start, end, body in statements(tokens, first, last):
            head = [token.text for token in tokens.items[start:end]]
            if body is None:
                continue
            opened = parameter_list(tokens, start, end)
            if opened is None and _CLASSES & set(head) and "enum" not in head:
                classes.append((body[0] + 1, body[1]))
            elif is_class and opened is not None and head[-1] in _BEFORE_BODY:
                before = frozenset(head[: opened - start])
                if spaces_of(before, macros) == {"host"} and not _copies(tokens, start, opened):
                    name = json.dumps(_name(tokens, start, opened))
                    edits.insert(tokens.items[body[0]].end, f" LEAP_HOST_ONLY({name});")


def _copies(tokens: Tokens, start: int, opened: int) -> bool:
    """Whether it is a copy constructor or destructor, which launches call for parameters."""
    name = tokens.items[opened - 1].text
    parameters = [t.text for t in tokens.items[opened : tokens.match[opened]]]
    return name in parameters or any(tokens.is_text(i, "~") for i in range(start, opened))


def _name(tokens: Tokens, start: int, opened: int) -> str:
    """The function's name as it was written: ``apply``, ``operator()``."""
    if tokens.is_text(opened - 1, "operator"):
        return "operator()"  # whose own brackets come first
    names = [i for i in range(start, opened) if tokens.is_text(i, "operator")] or [opened - 1]
    return tokens.source(names[0], opened - 1)
