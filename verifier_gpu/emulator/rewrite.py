"""CUDA C++ text becomes C++ text that g++ compiles against include/.

Only what g++ cannot parse or what needs storage per block is replaced; the head
comment of ``include/leap_kernel.h`` shows each form. No line is added, removed
or moved, so that diagnostics keep the submission's line numbers.
"""

from __future__ import annotations

import json
import re

from verifier_gpu.emulator.constructs import Unsupported, refuse_unsupported
from verifier_gpu.emulator.device_code import refuse_in_device_code
from verifier_gpu.emulator.functions import find_functions, refuse, refuse_crossing_calls
from verifier_gpu.emulator.host_code import (
    has_lambdas,
    refuse_annotated_lambdas,
    refuse_device_names_on_host,
)
from verifier_gpu.emulator.shared_memory import rewrite_shared
from verifier_gpu.emulator.tokens import Tokens

__all__ = ["Unsupported", "rewrite"]


def rewrite(text: str, file_name: str, *, extended_lambda: bool = False) -> str:
    """Rewrites one CUDA source for the host compiler.

    Args:
        text: the submission's source.
        file_name: the name that diagnostics shall show.
        extended_lambda: nvcc's flag of that name is given: kernels may take lambdas.

    Returns:
        The text for g++, one ``#line`` directive before it, so that line n of
        the submission is reported as ``file_name:n``.

    Raises:
        Unsupported: the text uses what the cpu target cannot emulate.
    """
    tokens = Tokens(text)
    functions = find_functions(tokens)
    refuse_unsupported(tokens)
    refuse_device_names_on_host(tokens, functions)
    edits = Edits()
    bodies = _rewrite_kernels(tokens, edits, not extended_lambda and has_lambdas(tokens))
    _rewrite_launches(tokens, edits, bodies)
    rewrite_shared(tokens, edits)
    refuse_crossing_calls(tokens, functions, edits)
    refuse_in_device_code(tokens, functions, edits)
    if not extended_lambda:
        refuse_annotated_lambdas(tokens, edits)
    for i, token in enumerate(tokens.items):
        if token.text == "__noinline__":  # a macro of this name would break system headers
            edits.replace(token.start, token.end, "LEAP_NOINLINE")
        elif token.text == "clock" and tokens.is_text(i + 1, "(") and tokens.is_text(i + 2, ")"):
            if tokens.items[i - 1].text not in (".", "->", "::"):
                edits.replace(token.start, token.end, "leap_clock")
        elif token.text == "cudaLaunchKernel" and tokens.is_text(i + 1, "("):
            _uncast_kernel(tokens, i + 2, edits)
    return f"#line 1 {json.dumps(file_name)}\n{edits.apply(text)}"


def _uncast_kernel(tokens: Tokens, index: int, edits: Edits) -> None:
    """cudaLaunchKernel((void*)k, ...) keeps the kernel's type: it is called through it."""
    texts = [t.text for t in tokens.items[index : index + 5]]
    for cast in (["(", "void", "*", ")"], ["(", "const", "void", "*", ")"]):
        if texts[: len(cast)] == cast:
            last = tokens.items[index + len(cast) - 1]
            edits.delete(tokens.items[index].start, last.end, tokens.text)


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
        self.replace(start, end, _line_breaks(source[start:end]))

    def apply(self, text: str) -> str:
        parts, position = [], 0
        for start, end, new in sorted(self._edits, key=lambda edit: (edit[0], edit[1])):
            if start < position:
                continue  # inside a range that is replaced as a whole
            parts += [text[position:start], new]
            position = end
        return "".join([*parts, text[position:]])


def _line_breaks(text: str) -> str:
    return "".join(re.findall(r"\\?\r?\n", text))


def _one_line(text: str) -> str:
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    return re.sub(r"(?:\s|\\\r?\n)+", " ", text)


# ---- Kernels ------------------------------------------------------------------


_RETURNED = frozenset(["int", "float", "double", "bool", "auto", "unsigned", "long", "size_t"])


def _rewrite_kernels(tokens: Tokens, edits: Edits, refuse_lambdas: bool) -> list[tuple[int, int]]:
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
        name = _one_line(tokens.source(name_first, name_last))
        template = _template_arguments(tokens, i)
        self_name = name if template is None or name.endswith(">") else f"{name}<{template}>"
        parameters = _parameters(tokens, opened, edits)
        types = ", ".join(f"LEAP_TYPE({p})" + dots for p, dots in parameters)
        arguments = ", ".join(p + dots for p, dots in parameters)
        checks = _launch_bounds(tokens, i, opened, edits)
        if template is not None and refuse_lambdas:
            checks += f" LEAP_NO_LAMBDAS({types})"
        stub = f"{checks} LEAP_KERNEL({_label(name)}, ({self_name}), ({types}), ({arguments}))"
        edits.insert(tokens.items[body].end, stub)
        if body in tokens.match:  # else a brace is missing, which the compiler will say
            bodies.append((body, tokens.match[body]))
    return bodies


def _launch_bounds(tokens: Tokens, start: int, end: int, edits: Edits) -> str:
    """What makes a launch heed the __launch_bounds__ between two tokens, or ""."""
    for i in range(start, end):
        if tokens.is_text(i, "__launch_bounds__") and i + 1 in tokens.match:
            bounds = _split(tokens, i + 2, tokens.match[i + 1] - 1)
            if not bounds:
                refuse(tokens, edits, i, "__launch_bounds__ takes a number of threads")
                return ""
            first, last = bounds[0]
            return f" LEAP_LAUNCH_BOUNDS(({_one_line(tokens.source(first, last))}))"
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
        first = _angle_start(tokens, first) - 1
    while tokens.is_text(first - 1, "##"):
        first -= 2
    return first, last


def _angle_start(tokens: Tokens, index: int) -> int:
    """The ``<`` that the ``>`` at ``index`` closes."""
    depth = 0
    while index >= 0:
        text = tokens.items[index].text
        if text in (")", "]", "}") and index in tokens.match:
            index = tokens.match[index]
        elif text in (">", ">>>"):
            depth += len(text)
        elif text == "<":
            depth -= 1
            if depth <= 0:
                return index
        elif text in (";", "{"):
            break
        index -= 1
    return index


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


def _parameters(tokens: Tokens, opened: int, edits: Edits) -> list[tuple[str, str]]:
    """Names of the parameters, each with "..." if it is a pack. Unnamed ones get names."""
    names = []
    for first, last in _split(tokens, opened + 1, tokens.match[opened] - 1):
        texts = [t.text for t in tokens.items[first : last + 1]]
        if texts == ["void"]:
            continue
        if "=" in texts:
            last = first + texts.index("=") - 1
            texts = texts[: texts.index("=")]
        dots = "..." if "..." in texts else ""
        while tokens.is_text(last, "]") and last in tokens.match:  # float x[] is a pointer
            last = tokens.match[last] - 1
        if tokens.is_text(last, ")") and tokens.is_text(last - 2, "*"):
            last -= 1  # float (*x)[4]
        token = tokens.items[last]
        if token.kind == "name" and last > first and not _ends_a_type(token.text):
            names.append((token.text, dots))
        else:
            name = f"leap_unnamed_{len(names)}"
            edits.insert(token.end, f" {name}")
            names.append((name, dots))
    return names


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
    start = _angle_start(tokens, i)
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


# ---- Launches -----------------------------------------------------------------


def _rewrite_launches(tokens: Tokens, edits: Edits, bodies: list[tuple[int, int]]) -> None:
    for i, token in enumerate(tokens.items):
        if token.text != "<<<":
            continue
        if any(first < i < last for first, last in bodies):
            message = "kernel launch from __device__ or __global__ functions requires separate "
            refuse(tokens, edits, i, f"{message}compilation mode")
            continue
        closed = _launch_end(tokens, i)
        first = _callee_start(tokens, i - 1)
        if closed is None or first is None:
            continue  # not a launch that C++ could mean: the compiler will say so
        arguments_end = tokens.match[closed + 1]
        callee_start, callee_end = tokens.items[first].start, tokens.items[i - 1].end
        callee = tokens.text[callee_start:callee_end]
        edits.replace(callee_start, callee_end, f"(::leap::configure{_line_breaks(callee)}")
        edits.replace(token.start, token.end, "(")
        end = tokens.items[closed]
        edits.replace(end.start, end.end, f"), {_one_line(callee)}")
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
            i = _angle_start(tokens, i) - 1
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
