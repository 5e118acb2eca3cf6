"""Kernels that launch themselves: a stub at the start of every kernel's body."""

from __future__ import annotations

import re
from dataclasses import dataclass

from verifier_gpu.emulator.edits import Edits, one_line, refuse
from verifier_gpu.emulator.functions import angle_start
from verifier_gpu.emulator.tokens import Tokens

_RETURNED = frozenset(["int", "float", "double", "bool", "auto", "unsigned", "long", "size_t"])


def rewrite_kernels(tokens: Tokens, edits: Edits, refuse_lambdas: bool) -> list[tuple[int, int]]:
    """Puts a stub at the start of every kernel; returns the bodies' token ranges."""
    bodies = []
    for i, token in enumerate(tokens.items):
        if token.text != "__global__":
            continue
        opened = _parameter_list(tokens, i + 1)
        if opened is None:
            continue
        closed = tokens.match[opened]
        if not tokens.is_text(closed + 1, "{"):
            continue  # a declaration
        body = closed + 1
        name_first, name_last = _kernel_name(tokens, opened)
        before = {t.text for t in tokens.items[i:name_first]}
        if "void" not in before and before & _RETURNED:
            refuse(tokens, edits, i, "a __global__ function must have a void return type")
            continue
        name = one_line(tokens.source(name_first, name_last))
        template = _template_arguments(tokens, i)
        self_name = name if template is None or name.endswith(">") else f"{name}<{template}>"
        parameters = _parameters(tokens, opened, edits)
        types = ", ".join(f"LEAP_TYPE({p.name}){p.dots}" for p in parameters)
        arguments = ", ".join(p.name + p.dots for p in parameters)
        captures = ", ".join(["=", *(f"&{p.name}{p.dots}" for p in parameters if p.is_reference)])
        checks = _launch_bounds(tokens, i, opened, edits)
        if template is not None and refuse_lambdas:
            checks += f" LEAP_NO_LAMBDAS({types})"
        stub = f"({_label(name)}, ({self_name}), ({types}), ({arguments}), {captures})"
        edits.insert(tokens.items[body].end, f"{checks} LEAP_KERNEL{stub}")
        if body in tokens.match:  # else a brace is missing, which the compiler will say
            bodies.append((body, tokens.match[body]))
    return bodies


def _launch_bounds(tokens: Tokens, start: int, end: int, edits: Edits) -> str:
    """What makes a launch heed the __launch_bounds__ between two tokens, or ""."""
    for i in range(start, end):
        if tokens.is_text(i, "__launch_bounds__") and i + 1 in tokens.match:
            bounds = _split(tokens, i + 2, tokens.match[i + 1] - 1)
            if not 1 <= len(bounds) <= 3:
                message = 'expected a ")"' if bounds else "expected an expression"
                refuse(tokens, edits, i, f"{message} (__launch_bounds__ takes 1 to 3 numbers)")
                return ""
            first, last = bounds[0]
            return f" LEAP_LAUNCH_BOUNDS(({one_line(tokens.source(first, last))}))"
    return ""


def _label(name: str) -> str:
    """The kernel's name as one macro argument."""
    return name.split("<", 1)[0]


def _parameter_list(tokens: Tokens, index: int) -> int | None:
    """The token that opens the parameter list of the kernel declared at ``index``."""
    while index < len(tokens.items):
        text = tokens.items[index].text
        if text in (";", "{", "}"):
            return None
        if text == "(" and index in tokens.match:
            before = tokens.items[index - 1].text
            if before not in ("__launch_bounds__", "__attribute__", "__align__", "alignas"):
                return index
            index = tokens.match[index]
        index += 1
    return None


def _kernel_name(tokens: Tokens, opened: int) -> tuple[int, int]:
    """First and last token of the name before ``(``, pasted or specialised names whole."""
    last = first = opened - 1
    if tokens.is_text(first, ">"):  # template<> __global__ void k<float>(...)
        first = angle_start(tokens, first) - 1
    while tokens.is_text(first - 1, "##"):
        first -= 2
    return first, last


def _split(tokens: Tokens, first: int, last: int) -> list[tuple[int, int]]:
    """Splits tokens first..last (both included) at commas outside all brackets."""
    parts, start, i, angle = [], first, first, 0
    while i <= last:
        text = tokens.items[i].text
        if text in ("(", "[", "{") and i in tokens.match:
            i = tokens.match[i]
        elif text == "<":
            angle += 1
        elif text in (">", ">>>"):
            angle = max(0, angle - len(text))
        elif text == "," and angle == 0:
            parts.append((start, i - 1))
            start = i + 1
        i += 1
    if start <= last:
        parts.append((start, last))
    return parts


@dataclass(frozen=True)
class _Parameter:
    name: str
    dots: str  # "..." of a pack, or ""
    is_reference: bool


def _parameters(tokens: Tokens, opened: int, edits: Edits) -> list[_Parameter]:
    """The parameters of a kernel. Unnamed ones get names."""
    found: list[_Parameter] = []
    for first, last in _split(tokens, opened + 1, tokens.match[opened] - 1):
        texts = [t.text for t in tokens.items[first : last + 1]]
        if texts == ["void"]:
            continue
        if texts == ["..."]:
            refuse(tokens, edits, first, "a __global__ function cannot have ellipsis")
            continue
        if "=" in texts:
            last = first + texts.index("=") - 1
            texts = texts[: texts.index("=")]
        dots = "..." if "..." in texts else ""
        while tokens.is_text(last, "]") and last in tokens.match:  # float x[] is a pointer
            last = tokens.match[last] - 1
        if tokens.is_text(last, ")") and tokens.items[last - 2].text in ("*", "&"):
            last -= 1  # float (*x)[4]
        token = tokens.items[last]
        if token.kind == "name" and last > first and not _ends_a_type(token.text):
            name = token.text
        else:
            name = f"leap_unnamed_{len(found)}"
            edits.insert(token.end, f" {name}")
        found.append(_Parameter(name, dots, _is_reference(texts)))
    return found


def _is_reference(texts: list[str]) -> bool:
    """Whether a parameter's declaration ends in ``& name``, behind all angle brackets."""
    declarator = texts[max((i for i, text in enumerate(texts) if ">" in text), default=0) :]
    return bool({"&", "&&"} & set(declarator))


def _ends_a_type(text: str) -> bool:
    return text in (
        "int", "float", "double", "char", "bool", "long", "short", "unsigned", "signed", "const",
        "__restrict__",
    )  # fmt: skip


def _template_arguments(tokens: Tokens, index: int) -> str | None:
    """The arguments that name the template's own instance: ``T, N`` for ``<class T, int N>``.

    None if the declaration at ``index`` (the token ``__global__``) is no template.
    """
    i = index - 1
    while i >= 0 and (tokens.items[i].kind == "name" or tokens.is_text(i, ")")):
        i = tokens.match.get(i, i) - 1  # static, inline, void, __launch_bounds__(...)
    if not (tokens.is_text(i, ">") or tokens.is_text(i, ">>>")):
        return None
    start = angle_start(tokens, i)
    if not tokens.is_text(start - 1, "template"):
        return None
    names = []
    for first, last in _split(tokens, start + 1, i - 1):
        texts = [t.text for t in tokens.items[first : last + 1]]
        if "=" in texts:
            texts = texts[: texts.index("=")]
        pointer = next((i for i in range(first, last) if tokens.source(i, i + 1) == "(*"), None)
        name = texts[-1] if pointer is None else texts[pointer + 2 - first]  # float (*f)(float)
        if len(texts) < 2 or not re.fullmatch(r"[A-Za-z_]\w*", name):
            break  # an unnamed one has a default, or nothing could name it
        names.append(name + ("..." if "..." in texts else ""))
    return ", ".join(names)
