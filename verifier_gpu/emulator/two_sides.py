"""__CUDA_ARCH__ as nvcc has it: defined while a function is compiled for the device only.

Host functions never see it here. A function of both sides gets both bodies, of which the
running side takes its own.
"""

from __future__ import annotations

from verifier_gpu.emulator.constructs import Unsupported
from verifier_gpu.emulator.edits import Edits
from verifier_gpu.emulator.functions import device_macros_of, spaces_of
from verifier_gpu.emulator.tokens import Tokens

_ARCH = "__CUDA_ARCH__"
_UNDEFINED = "LEAP_NO_CUDA_ARCH"
_ENDS_A_HEAD = frozenset([")", "const", "noexcept", "override"])
# What a second body cannot have: it is copied as it stands.
_NOT_TWICE = frozenset(["<<<", "goto", "__shared__", "constexpr"])


def split_sides(tokens: Tokens, edits: Edits) -> None:
    """Rewrites the functions of ``tokens`` that ask for __CUDA_ARCH__ in their bodies.

    Raises:
        Unsupported: such a function is for both sides and cannot be copied.
    """
    macros = device_macros_of(tokens)
    asked: dict[int, list[int]] = {}  # by the brace that opens the function
    for i, token in enumerate(tokens.items):
        if token.text == _ARCH and tokens.directive[i]:
            opened = _function_around(tokens, i)
            if opened is not None:
                asked.setdefault(opened, []).append(i)
    for opened, places in asked.items():
        spaces = spaces_of(frozenset(_head(tokens, opened)), macros)
        if spaces == {"host"}:
            for i in places:
                edits.replace(tokens.items[i].start, tokens.items[i].end, _UNDEFINED)
        elif "host" in spaces:
            _give_both_bodies(tokens, opened, places, edits)


def _give_both_bodies(tokens: Tokens, opened: int, places: list[int], edits: Edits) -> None:
    closed = tokens.match[opened]
    texts = {t.text for t in tokens.items[opened:closed]}
    if _NOT_TWICE & (texts | set(_head(tokens, opened))):
        raise Unsupported(f"{_ARCH} in a function of both sides", tokens.line(places[0]))
    first, last = tokens.items[opened].end, tokens.items[closed].start
    copy, position = "", first
    for i in places:
        copy += tokens.text[position : tokens.items[i].start] + _UNDEFINED
        position = tokens.items[i].end
    copy += tokens.text[position:last]
    edits.insert(first, " if (leap_in_kernel) {")
    edits.insert(last, f"}} else {{\n#line {tokens.line(opened)}\n{copy}}}")


def _function_around(tokens: Tokens, index: int) -> int | None:
    """The brace that opens the function around token ``index``, lambdas and classes within
    it included."""
    for opened, closed in sorted(tokens.match.items()):
        if opened < index < closed and tokens.is_text(opened, "{"):
            head = _head(tokens, opened)
            if head and (head[-1] in _ENDS_A_HEAD or "->" in head):
                return opened
    return None


def _head(tokens: Tokens, opened: int) -> list[str]:
    """The declaration's tokens before its brace."""
    start = opened
    while start > 0 and tokens.items[start - 1].text not in (";", "{", "}"):
        if tokens.directive[start - 1]:
            break
        start -= 1
    return [t.text for t in tokens.items[start:opened]]
