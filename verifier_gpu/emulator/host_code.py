"""What host code may not do with what lives on the device: read and write its variables,
take the addresses of its functions, make lambdas for it."""

from __future__ import annotations

import re

from verifier_gpu.emulator.constructs import Unsupported
from verifier_gpu.emulator.edits import Edits, refuse
from verifier_gpu.emulator.functions import Function
from verifier_gpu.emulator.tokens import Tokens

_SYMBOL_CALL = re.compile(r"cudaMemcpy(To|From)Symbol(Async)?|cudaGetSymbol\w+|sizeof|decltype")
_NO_TYPES = frozenset(["return", "else", "new", "delete", "case", "goto", "sizeof", "co_return"])


def has_lambdas(tokens: Tokens) -> bool:
    """Whether a ``[`` begins something else than an index or an array's bounds."""
    return any(
        token.text == "[" and i > 0 and tokens.items[i - 1].kind != "name"
        and tokens.items[i - 1].text not in ("]", ")", "[")
        for i, token in enumerate(tokens.items)
    )  # fmt: skip


def refuse_annotated_lambdas(tokens: Tokens, edits: Edits) -> None:
    """Marks lambdas for the device, for when the flag that allows them is not given."""
    for i, token in enumerate(tokens.items):
        if token.text in ("__device__", "__host__") and tokens.is_text(i - 1, "]"):
            message = "__host__ or __device__ annotation on lambda requires --extended-lambda"
            refuse(tokens, edits, i, f"{message} nvcc flag")


def refuse_device_names_on_host(tokens: Tokens, functions: list[Function]) -> None:
    """Refuses host code that reads or writes __device__ and __constant__ variables, which
    there are copies that no kernel sees, or hands a device function's address to a kernel.

    Raises:
        Unsupported: for the first such name; here they would be what the kernel has.
    """
    variables = _device_variables(tokens, functions)
    device_functions = {f.name for f in functions if "device" in f.spaces}
    for function in functions:
        if function.body is None or function.spaces != {"host"}:
            continue
        for i in range(function.body[0], function.body[1]):
            name = tokens.items[i].text
            if name not in variables and name not in device_functions:
                continue
            if tokens.items[i - 1].text in (".", "->", "::") or _is_declared(
                tokens, function, name
            ):
                continue
            around = _calls_around(tokens, function.body[0], i)
            if name in variables and not any(map(_SYMBOL_CALL.fullmatch, around)):
                raise Unsupported(f"host access to the device variable {name}", tokens.line(i))
            called = tokens.items[i + 1].text in ("(", "<", "::")
            if name in device_functions and not called and ">>>" in around:
                raise Unsupported(
                    f"the address that {name}, a device function, has on the host", tokens.line(i)
                )


def _device_variables(tokens: Tokens, functions: list[Function]) -> set[str]:
    """Names of variables in device memory that are not const."""
    bodies = [f.body for f in functions if f.body is not None]
    found = set()
    for i, token in enumerate(tokens.items):
        if token.text not in ("__device__", "__constant__") or tokens.directive[i]:
            continue
        if any(first < i < last for first, last in bodies):
            continue
        texts = []
        for following in tokens.items[i : i + 40]:
            if following.text in ("[", "=", ";", "(", "{", ")", "operator"):
                break
            texts.append(following.text)
        ends = tokens.items[i + len(texts)].text if i + len(texts) < len(tokens.items) else ""
        if ends in ("[", "=", ";") and not {"const", "constexpr", "__shared__"} & set(texts):
            found.add(texts[-1])
    return found


def _is_declared(tokens: Tokens, function: Function, name: str) -> bool:
    """Whether a parameter or local variable of the function has the name."""
    assert function.body is not None
    for i in range(function.parameters[0], function.body[1]):
        if tokens.items[i].text != name:
            continue
        before, after = tokens.items[i - 1], tokens.items[i + 1].text
        typed = before.kind == "name" and before.text not in _NO_TYPES
        if after in ("=", ";", ",", ")", "[", "{") and (typed or before.text in ("*", "&", ">")):
            return True
    return False


def _calls_around(tokens: Tokens, start: int, index: int) -> set[str]:
    """The tokens before every ``(`` that is open at token ``index``."""
    found, i = set(), index - 1
    while i > start:
        text = tokens.items[i].text
        if text in (")", "]", "}") and i in tokens.match:
            i = tokens.match[i]
        elif text == "(":
            found.add(tokens.items[i - 1].text)
        i -= 1
    return found
