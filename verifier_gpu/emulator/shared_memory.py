"""``__shared__`` declarations become references into the block's storage."""

from __future__ import annotations

from verifier_gpu.emulator.edits import Edits, refuse
from verifier_gpu.emulator.tokens import Tokens

_BEFORE = ("static", "extern", "volatile", "const", "__device__", "inline")


def rewrite_shared(tokens: Tokens, edits: Edits) -> None:
    """Rewrites every ``__shared__`` declaration of ``tokens`` (see ``leap_kernel.h``)."""
    for i, token in enumerate(tokens.items):
        if token.text == "__shared__":
            _rewrite_declaration(tokens, i, edits)


def _rewrite_declaration(tokens: Tokens, index: int, edits: Edits) -> None:
    first = index
    while first > 0 and tokens.items[first - 1].text in _BEFORE:
        first -= 1
    last = _statement_end(tokens, index)
    external = any(tokens.is_text(i, "extern") for i in range(first, index + 3))
    at_namespace = not _inside_code(tokens, index)
    for i in range(first, last):
        token = tokens.items[i]
        if token.text in ("static", "extern", "__shared__", "__device__", "inline"):
            edits.replace(token.start, token.end, "")
        elif token.text in ("__align__", "alignas", "__attribute__"):
            edits.delete(token.start, tokens.items[tokens.match[i + 1]].end, tokens.text)
    declared = declarators(tokens, index + 1, last)
    if external:
        text = _one_type(tokens, first, declared)
        edits.insert(tokens.items[first].start, text if at_namespace else f"{{ {text}}} ")
    if at_namespace:
        edits.insert(tokens.items[first].start, "static ")
    for name, end in declared:
        token, after = tokens.items[name], tokens.items[end]
        if external:
            reference, value = ("*&", "LEAP_SHARED_DYNAMIC_GLOBAL") if at_namespace else (
                "*", "LEAP_SHARED_DYNAMIC")  # fmt: skip
            edits.replace(token.start, after.end, f"({reference}{token.text}) = {value}")
        else:
            edits.replace(token.start, token.end, f"(&{token.text})")
            edits.insert(after.end, " = LEAP_SHARED")
            if tokens.is_text(end - 1, "[") and tokens.is_text(end, "]"):
                element = tokens.source(index + 1, name - 1)
                refuse(tokens, edits, first, f'incomplete type "{element} []" is not allowed')
            if tokens.items[end + 1].text in ("=", "{"):
                refuse(tokens, edits, first, "initializer not allowed for __shared__ variable")
                edits.delete(tokens.items[end + 1].start, tokens.items[last - 1].end, tokens.text)


def _one_type(tokens: Tokens, first: int, declared: list[tuple[int, int]]) -> str:
    """Declarations that let C++ compare the types of dynamic arrays of one name: to nvcc they
    are one symbol in all functions of a source."""
    if not declared:
        return ""
    gone = ("extern", "__shared__", "static", "inline", "__device__")
    words = [token.text for token in tokens.items[first : declared[0][0]] if token.text not in gone]
    arrays = [
        f"leap_dynamic_{tokens.items[name].text}"
        + (tokens.source(name + 1, end) if end > name else "")
        for name, end in declared
    ]
    return f"extern {' '.join(words)} {', '.join(arrays)}; "


def _statement_end(tokens: Tokens, index: int) -> int:
    """The ``;`` that ends the declaration, or one past the end of the text or macro."""
    i = index
    while i < len(tokens.items) and tokens.directive[i] == tokens.directive[index]:
        if tokens.items[i].text in ("(", "[", "{") and i in tokens.match:
            i = tokens.match[i]
        elif tokens.items[i].text in (";", "}"):
            return i
        i += 1
    return i


def declarators(tokens: Tokens, first: int, last: int) -> list[tuple[int, int]]:
    """For every declared name: its token, and the last token of its array bounds."""
    found, i, angle = [], first, 0
    while i < last:
        text = tokens.items[i].text
        if text in ("(", "{") and i in tokens.match:
            i = tokens.match[i]
        elif text == "<":
            angle += 1
        elif text in (">", ">>>"):
            angle = max(0, angle - len(text))
        elif angle == 0 and tokens.items[i].kind == "name" and (
            i + 1 >= last or tokens.items[i + 1].text in ("[", ",", "=", ";", "{")
        ):  # fmt: skip
            end = i
            while tokens.is_text(end + 1, "[") and end + 1 in tokens.match:
                end = tokens.match[end + 1]
            found.append((i, end))
            i = end
        i += 1
    return found


def _inside_code(tokens: Tokens, index: int) -> bool:
    """Whether some bracket around token ``index`` is a function's body."""
    if tokens.directive[index]:
        return True  # a macro's text: shared declarations are used inside kernels
    for opened, closed in tokens.match.items():
        if opened < index < closed and tokens.items[opened].text == "{":
            before = tokens.items[opened - 1].text if opened else ""
            if before in (")", "const", "noexcept", "override", "mutable", "else", "do", "try"):
                return True
    return False
