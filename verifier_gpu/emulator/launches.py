"""``k<<<grid, block>>>(x)`` becomes a call of the kernel, configured before it."""

from __future__ import annotations

from verifier_gpu.emulator.edits import Edits, line_breaks, one_line, refuse
from verifier_gpu.emulator.functions import angle_start
from verifier_gpu.emulator.tokens import Tokens


def rewrite_launches(tokens: Tokens, edits: Edits, bodies: list[tuple[int, int]]) -> None:
    for i, token in enumerate(tokens.items):
        if token.text != "<<<":
            continue
        closed = _launch_end(tokens, i)
        first = _callee_start(tokens, i - 1)
        if any(start < i < end for start, end in bodies):
            message = "kernel launch from __device__ or __global__ functions requires separate "
            refuse(tokens, edits, i if first is None else first, f"{message}compilation mode")
            continue
        if closed is None or first is None:
            continue  # not a launch that C++ could mean: the compiler will say so
        arguments_end = tokens.match[closed + 1]
        callee_start, callee_end = tokens.items[first].start, tokens.items[i - 1].end
        callee = tokens.text[callee_start:callee_end]
        edits.replace(callee_start, callee_end, f"(::leap::configure{line_breaks(callee)}")
        edits.replace(token.start, token.end, "(")
        end = tokens.items[closed]
        edits.replace(end.start, end.end, f"), {one_line(callee)}")
        edits.insert(tokens.items[arguments_end].end, ")")


def _launch_end(tokens: Tokens, index: int) -> int | None:
    """The ``>>>`` of the launch at ``index`` (a ``<<<``), if ``(...)`` follows it."""
    i = index + 1
    while i < len(tokens.items):
        text = tokens.items[i].text
        if text in ("(", "[", "{"):
            if i not in tokens.match:
                return None
            i = tokens.match[i]
        elif text == ">>>" and tokens.is_text(i + 1, "(") and i + 1 in tokens.match:
            return i
        elif text in (";", ")", "]", "}", "<<<"):
            return None
        i += 1
    return None


def _callee_start(tokens: Tokens, index: int) -> int | None:
    """The first token of the expression that names the kernel and ends at ``index``."""
    i = index
    if tokens.is_text(i, ")") and i in tokens.match:
        return tokens.match[i]
    while i >= 0:
        if tokens.is_text(i, ">") or tokens.is_text(i, ">>>"):
            i = angle_start(tokens, i) - 1
        if i < 0 or tokens.items[i].kind != "name":
            return None
        while tokens.is_text(i - 1, "##"):
            i -= 2
        if tokens.is_text(i - 1, "::"):
            if i - 2 >= 0 and (tokens.items[i - 2].kind == "name" or tokens.is_text(i - 2, ">")):
                i -= 2
                continue
            return i - 1
        if tokens.is_text(i - 1, ".") or tokens.is_text(i - 1, "->"):
            i -= 2
            continue
        if tokens.is_text(i - 1, "template"):
            i -= 1
        return i
    return None
