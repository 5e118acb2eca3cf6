"""The function definitions of a CUDA source, and the calls that nvcc refuses.

g++ knows no execution spaces, so a call that crosses them would compile here and
fail on every GPU machine. A pragma before such a call makes the compiler report it
with nvcc's words, at its line, beside other errors.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from verifier_gpu.emulator.edits import Edits, refuse
from verifier_gpu.emulator.tokens import Tokens

_NOT_A_NAME = (
    "__launch_bounds__", "__attribute__", "__align__", "alignas", "decltype", "noexcept", "if",
    "while", "for", "switch", "defined", "requires", "explicit",
)  # fmt: skip


@dataclass(frozen=True)
class Function:
    """A function at namespace scope; ``body`` is its range of tokens, None if only declared."""

    name: str
    spaces: frozenset[str]  # of "global", "device", "host"
    parameters: tuple[int, int]
    body: tuple[int, int] | None
    start: int  # the first token of its declaration

    def is_device_only(self) -> bool:
        return self.body is not None and "host" not in self.spaces


def find_functions(tokens: Tokens) -> list[Function]:
    """Definitions and declarations at namespace scope; members and macros are left out."""
    found: list[Function] = []
    device_macros = device_macros_of(tokens)
    for start, end, body in statements(tokens, 0, len(tokens.items)):
        _add(found, tokens, start, end, body, device_macros)
    return found


def statements(
    tokens: Tokens, first: int, last: int
) -> Iterator[tuple[int, int, tuple[int, int] | None]]:
    """What is declared in a namespace's or class's tokens first..last (last excluded).

    Yields the first token, the token that ends it or opens its braces, and the braces,
    if any. What goes on behind its braces (``int a[] = {1};``) comes once more, whole.
    """
    start = i = first
    while i < last:
        text = tokens.items[i].text
        if tokens.directive[i]:
            start = i + 1
        elif text in (";", "}"):
            yield start, i, None
            start = i + 1
        elif text == "{":
            if _opens_namespace(tokens, start, i):
                start = i + 1
            elif i in tokens.match:
                yield start, i, (i, tokens.match[i])
                i = tokens.match[i]
                if not tokens.is_text(i + 1, ";"):
                    start = i + 1
        elif text in ("(", "[") and i in tokens.match:
            i = tokens.match[i]
        i += 1


def refuse_crossing_calls(tokens: Tokens, functions: list[Function], edits: Edits) -> None:
    """Marks calls of host functions from device code, of device functions from host code,
    and of kernels without ``<<<...>>>``. ``functions`` is find_functions(tokens)."""
    spaces: dict[str, frozenset[str]] = {}
    for function in functions:
        spaces[function.name] = spaces.get(function.name, frozenset()) | function.spaces
    for caller in functions:
        if caller.body is None:
            continue
        first, last = caller.body
        texts = [t.text for t in tokens.items[caller.parameters[0] : last + 1]]
        if caller.spaces == {"host"} and {"__device__", "__global__"} & set(texts):
            continue  # device lambdas: two spaces in one body
        for i in range(first, last):
            name = tokens.items[i].text
            if name not in spaces or tokens.directive[i]:
                continue
            message = ""
            if tokens.is_text(i + 1, "("):
                message = _refusal(caller, name, spaces[name])
            elif tokens.is_text(i + 1, "<<<") and "global" not in spaces[name]:
                message = "a host function call cannot be configured"
                if spaces[name] == {"device"}:
                    message = crossing("device", name, "host", caller.name)
            if message and not _is_local(tokens, caller, name, i):
                refuse(tokens, edits, i, message)


def _refusal(caller: Function, name: str, called: frozenset[str]) -> str:
    if called == {"global"}:
        return "a __global__ function call must be configured"
    here = "global" if "global" in caller.spaces else "device"
    if "host" not in caller.spaces and called == {"host"}:
        return crossing("host", name, here, caller.name)
    if caller.spaces == {"host"} and called == {"device"}:
        return crossing("device", name, "host", caller.name)
    return ""


def crossing(called: str, name: str, caller: str, caller_name: str) -> str:
    """nvcc's words for a call from one space into another."""
    return (
        f'calling a __{called}__ function("{name}") from a __{caller}__ function'
        f'("{caller_name}") is not allowed'
    )


def _is_local(tokens: Tokens, caller: Function, name: str, index: int) -> bool:
    """Whether the name means something else here: a member, qualified, or a local variable."""
    if tokens.items[index - 1].text in (".", "->", "::", "##"):
        return True
    assert caller.body is not None
    return any(
        tokens.items[i].text == name and not tokens.is_text(i + 1, "(")
        and tokens.items[i + 1].text not in ("<", "<<<")
        for i in range(caller.parameters[0], caller.body[1])
    )  # fmt: skip


def _add(
    found: list[Function],
    tokens: Tokens,
    start: int,
    end: int,
    body: tuple[int, int] | None,
    device_macros: frozenset[str],
) -> None:
    opened = parameter_list(tokens, start, end)
    if opened is None or opened == start or tokens.items[opened - 1].kind != "name":
        return
    before = [t.text for t in tokens.items[start : opened - 1]]
    if not before or before[0] == "using" or "=" in before or "operator" in before:
        return
    if tokens.is_text(opened - 2, "::") or tokens.is_text(opened - 2, "##"):
        return
    spaces = spaces_of(frozenset(before), device_macros)
    parameters = (opened, tokens.match[opened])
    found.append(Function(tokens.items[opened - 1].text, spaces, parameters, body, start))


def spaces_of(before: frozenset[str], device_macros: frozenset[str]) -> frozenset[str]:
    """The spaces of a function with these words before its name."""
    if "__global__" in before:
        return frozenset({"global"})
    unknown = any("DEVICE" in text.upper() and text != "__device__" for text in before)
    if unknown or before & {"constexpr", "consteval"} or before & device_macros:
        return frozenset({"host", "device"})  # constexpr: --expt-relaxed-constexpr is on
    if "__device__" not in before:
        return frozenset({"host"})
    return frozenset({"device", "host"} if "__host__" in before else {"device"})


def parameter_list(tokens: Tokens, start: int, end: int) -> int | None:
    """The ``(`` of the parameter list of the declaration in tokens start..end."""
    i = start
    while i < end:
        text = tokens.items[i].text
        if text == "<" and tokens.is_text(i - 1, "template"):
            i = angle_end(tokens, i, end)
        elif text == "(" and i in tokens.match:
            if i > start and tokens.items[i - 1].text not in _NOT_A_NAME:
                return i
            i = tokens.match[i]
        elif text in ("=", "{"):
            return None
        i += 1
    return None


def angle_end(tokens: Tokens, index: int, end: int) -> int:
    depth, i = 0, index
    while i < end:
        text = tokens.items[i].text
        if text == "<":
            depth += 1
        elif text in (">", ">>>"):
            depth -= len(text)
            if depth <= 0:
                return i
        elif text in ("(", "[", "{") and i in tokens.match:
            i = tokens.match[i]
        i += 1
    return end


def angle_start(tokens: Tokens, index: int) -> int:
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


def _opens_namespace(tokens: Tokens, start: int, index: int) -> bool:
    texts = [t.text for t in tokens.items[start:index]]
    return "namespace" in texts or texts[-2:-1] == ["extern"]


def device_macros_of(tokens: Tokens) -> frozenset[str]:
    """Names that the source defines as something with __device__ or __global__ in it."""
    names, current = set(), ""
    for i, token in enumerate(tokens.items):
        if not tokens.directive[i] or token.text == "#":
            current = ""
        elif tokens.is_text(i - 1, "define") and tokens.is_text(i - 2, "#"):
            current = token.text
        elif current and token.text in ("__device__", "__global__"):
            names.add(current)
    return frozenset(names)
