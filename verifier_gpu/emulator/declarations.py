"""Where CUDA's words may stand in declarations: what nvcc refuses and C++ would accept."""

from __future__ import annotations

from verifier_gpu.emulator.edits import Edits, refuse
from verifier_gpu.emulator.functions import Function
from verifier_gpu.emulator.tokens import Tokens

_MEMORY = ("__device__", "__constant__", "__shared__")
_CLASSES = frozenset(["struct", "class", "union"])


def refuse_declarations(tokens: Tokens, functions: list[Function], edits: Edits) -> None:
    """Marks kernels that are members, launch bounds of other functions, and memory spaces of
    variables that cannot have one. ``functions`` is find_functions(tokens)."""
    scopes = _scopes(tokens)
    hosts = [f.body for f in functions if f.body and f.spaces == {"host"}]
    for i, token in enumerate(tokens.items):
        if tokens.directive[i]:
            continue
        message = ""
        if token.text == "__global__" and scopes[i] == "class":
            message = "A __global__ function or function template cannot be a member function"
        elif token.text == "__launch_bounds__":
            message = _launch_bounds(tokens, i)
        elif token.text in _MEMORY and scopes[i] == "code":
            is_host = any(first < i < last for first, last in hosts)
            message = _local_variable(tokens, i, is_host)
        if message:
            refuse(tokens, edits, i, message)


def _launch_bounds(tokens: Tokens, index: int) -> str:
    first, last = _declaration(tokens, index)
    words = {tokens.items[i].text for i in range(first, last)}
    if "__global__" not in words and not any("GLOBAL" in word.upper() for word in words):
        return "__launch_bounds__ is only allowed on a __global__ function"
    return ""


def _local_variable(tokens: Tokens, index: int, is_host: bool) -> str:
    """What nvcc says of a variable in a function's body with the memory space at ``index``."""
    first, last = _declaration(tokens, index)
    texts = [token.text for token in tokens.items[first:last]]
    if "(" in texts or "]" in texts[: index - first]:
        return ""  # a function's declaration, or a lambda
    space = tokens.items[index].text
    is_static = "static" in texts or space == "__shared__"
    if "extern" in texts or (is_static and not is_host):
        return ""
    storage, where = "a static" if is_static else "an automatic", "host" if is_host else "device"
    return f'{storage} "{space}" variable declaration is not allowed inside a {where} function body'


def _declaration(tokens: Tokens, index: int) -> tuple[int, int]:
    """The tokens around ``index`` up to the first that ends a statement or begins a body."""
    first = last = index
    while first > 0 and tokens.items[first - 1].text not in (";", "{", "}"):
        first -= 1
    while last < len(tokens.items) and tokens.items[last].text not in (";", "{", "}", "="):
        last += 1
    return first, last


def _scopes(tokens: Tokens) -> list[str]:
    """For every token what its innermost braces are: "class", "code" or "namespace"."""
    found, stack, ends = [], ["namespace"], [len(tokens.items)]
    for i, token in enumerate(tokens.items):
        while i >= ends[-1]:
            ends.pop()
            stack.pop()
        if token.text == "{" and i in tokens.match and not tokens.directive[i]:
            stack.append(_scope(tokens, i, stack[-1]))
            ends.append(tokens.match[i])
        found.append(stack[-1])
    return found


def _scope(tokens: Tokens, opened: int, around: str) -> str:
    first = opened
    while first > 0 and tokens.items[first - 1].text not in (";", "{", "}", ")"):
        first -= 1
    head = [token.text for token in tokens.items[first:opened]]
    if "namespace" in head or head[-2:-1] == ["extern"]:
        return "namespace"
    if _CLASSES & set(head) and tokens.items[opened - 1].text != ")":
        return "class"
    is_list = opened > 0 and tokens.items[opened - 1].text in ("=", ",", "(", "{")
    return around if is_list else "code"
