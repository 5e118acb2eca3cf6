"""What nvcc refuses inside device code and g++ does not know to refuse.

Host functions of the standard library, host variables, exceptions, writes to constant
memory. Each is reported at its place, in nvcc's words. What nvcc only says about code
that is instantiated is looked for in functions that the text uses.
"""

from __future__ import annotations

from verifier_gpu.emulator.constructs import KERNEL_HEAP, Unsupported
from verifier_gpu.emulator.edits import Edits, refuse
from verifier_gpu.emulator.functions import (
    Function,
    crossing,
    parameter_list,
    statements,
)
from verifier_gpu.emulator.shared_memory import declarators
from verifier_gpu.emulator.tokens import Tokens

# What of namespace std is neither constexpr in C++17 nor a device function of CUDA's.
_HOST_STD = frozenset(
    ["accumulate", "atomic", "bitset", "cerr", "copy", "copy_n", "count", "count_if", "cout",
     "deque", "endl", "exchange", "fill", "fill_n", "find", "find_if", "for_each", "function",
     "inner_product", "iota", "iter_swap", "list", "lower_bound", "make_shared", "make_unique",
     "map", "multimap", "mutex", "nth_element", "partial_sort", "partial_sum", "queue", "rand",
     "reverse", "rotate", "set", "shared_ptr", "sort", "stable_sort", "stack", "string",
     "stringstream", "swap", "swap_ranges", "thread", "to_string", "transform", "unique_ptr",
     "unordered_map", "unordered_set", "upper_bound", "vector"]
)  # fmt: skip
_HOST_C = frozenset(
    ["abort", "exit", "fprintf", "fputs", "getenv", "puts", "rand", "time", "__builtin_bswap16",
     "__builtin_bswap32", "__builtin_bswap64", "__builtin_ctz", "__builtin_ctzl",
     "__builtin_ctzll", "__builtin_parity"]
)  # fmt: skip
_HEAP = frozenset(["malloc", "free", "new", "delete"])
_BY_REFERENCE = frozenset(["min", "max", "clamp"])
_MATH = frozenset(
    f"{name}{suffix}"
    for name in ("sqrt", "exp", "exp2", "log", "log2", "log10", "pow", "sin", "cos", "tan", "tanh",
                 "atan", "floor", "ceil", "fabs", "erf")
    for suffix in ("", "f")
)  # fmt: skip
_FEATURES = {
    "throw": "device code does not support exception handling",
    "try": "device code does not support exception handling",
    "dynamic_cast": "The operator 'dynamic_cast' is not allowed in device code",
    "typeid": "The operator 'typeid' is not allowed in device code",
    "__float128": '"__float128" is a 128-bit floating-point, which is not supported in device code',
}
_ASSIGNMENTS = frozenset(["=", "+=", "-=", "*=", "/=", "|=", "&=", "^="])
_NOT_TYPES = frozenset(["return", "case", "else", "throw", "goto", "new", "delete", "sizeof"])
_TYPES = frozenset(["float", "double", "int", "char", "auto", "unsigned", "long", "short", "bool"])
# In a constant expression nvcc reads a host constant at compile time.
_CONSTANT = frozenset(["constexpr", "static_assert", "sizeof", "__shared__", "case", "decltype"])


def refuse_in_device_code(tokens: Tokens, functions: list[Function], edits: Edits) -> None:
    """Marks what device functions may not use. ``functions`` is find_functions(tokens).

    Raises:
        Unsupported: a kernel allocates memory, which CUDA allows.
    """
    variables = _variables(tokens, edits)
    for function in functions:
        body = function.body
        if body is None or not _is_used(tokens, function, functions):
            continue
        if function.is_device_only():
            _refuse_variable_lengths(tokens, body, edits)
        local = _declared(tokens, function)
        for i in range(body[0] + 1, body[1]):
            if tokens.directive[i] or tokens.items[i].kind != "name":
                continue
            message = _FEATURES.get(tokens.items[i].text, "")
            if function.is_device_only():
                _refuse_heap(tokens, i)
                message = message or _library(tokens, function, i)
                if tokens.items[i].text not in local:
                    message = message or _variable(tokens, variables, i)
            if message:
                refuse(tokens, edits, i, message)


def _is_used(tokens: Tokens, function: Function, functions: list[Function]) -> bool:
    """Whether nvcc compiles the function for the device."""
    is_template = tokens.is_text(function.start, "template")
    if function.is_device_only() and not is_template:
        return True
    if "device" not in function.spaces and "global" not in function.spaces:
        return False
    for other in functions:
        if other.body is None or other.start == function.start:
            continue
        called = range(other.body[0], other.body[1])
        if (other.is_device_only() or "global" in function.spaces or is_template) and any(
            tokens.is_text(i, function.name) for i in called
        ):
            return True
    return False


def _refuse_variable_lengths(tokens: Tokens, body: tuple[int, int], edits: Edits) -> None:
    """Arrays whose length is not constant are g++'s extension, which nvcc has on the host only.

    Which lengths are constant g++ knows: in a body that has arrays it shall refuse the others.
    """
    first, last = body
    if any(
        tokens.is_text(i, "[") and tokens.items[i - 1].kind == "name"
        and tokens.items[i - 2].kind == "name"
        and tokens.items[i + 1].kind != "number" and not tokens.is_text(i + 1, "]")
        for i in range(first + 2, last)
    ):  # fmt: skip
        pragma = '_Pragma("GCC diagnostic {} \\"-Wvla\\"") '
        edits.insert(tokens.items[first].end, " " + pragma.format("error"))
        edits.insert(tokens.items[last].start, pragma.format("ignored"))


def _refuse_heap(tokens: Tokens, index: int) -> None:
    name, before, after = (tokens.items[i].text for i in (index, index - 1, index + 1))
    if name not in _HEAP or before in (".", "->"):
        return
    if name == "delete":
        is_heap = before != "="  # `= delete` removes a function
    elif name == "new":
        is_heap = after != "("  # `new (place) T` allocates nothing
    else:
        is_heap = after == "("
    if is_heap:
        raise Unsupported(f"{KERNEL_HEAP} ({name})", tokens.line(index))


def _library(tokens: Tokens, function: Function, index: int) -> str:
    name = tokens.items[index].text
    here = "global" if "global" in function.spaces else "device"
    if name == "std" and tokens.is_text(index + 1, "::"):
        name = tokens.items[index + 2].text if index + 2 < len(tokens.items) else ""
        return crossing("host", f"std::{name}", here, function.name) if name in _HOST_STD else ""
    qualified = tokens.items[index - 1].text in (".", "->", "::")
    if name in _HOST_C and tokens.is_text(index + 1, "(") and not qualified:
        return crossing("host", name, here, function.name)
    return ""


# ---- Variables ------------------------------------------------------------------


def _variables(tokens: Tokens, edits: Edits) -> dict[str, str]:
    """Variables at namespace scope: "constant" memory, host "array" (of constants), host
    "value" (a constant that nvcc folds) or "host"."""
    found: dict[str, str] = {}
    for start, end, body in statements(tokens, 0, len(tokens.items)):
        texts = [t.text for t in tokens.items[start:end]]
        if body is not None or not texts or not _declares_variables(texts):
            continue
        if parameter_list(tokens, start, end) is not None:
            continue
        on_device = {"__device__", "__constant__", "__shared__", "__managed__"} & set(texts)
        if on_device:
            _must_be_constant(tokens, start, end, edits)
        elif any("DEVICE" in text.upper() for text in texts):
            continue  # a macro that may stand for __device__
        for name, last in declarators(tokens, start, end):
            if name == start:
                continue
            if on_device:
                kind = "constant" if "__constant__" in texts else "device"
            elif not {"const", "constexpr"} & set(texts):
                kind = "host"
            elif last > name:
                kind = "array"
            else:
                kind = "host" if "constexpr" not in texts and _MATH & set(texts) else "value"
            found[tokens.items[name].text] = kind
    return {name: kind for name, kind in found.items() if kind != "device"}


def _declares_variables(texts: list[str]) -> bool:
    no = ("using", "typedef", "template", "namespace", "friend", "static_assert", "enum", "struct",
          "class", "union", "public", "private")  # fmt: skip
    return texts[0] not in no and "operator" not in texts and len(texts) > 1


def _must_be_constant(tokens: Tokens, start: int, end: int, edits: Edits) -> None:
    """Device memory has initial values before any code runs: g++ checks it as ``constinit``."""
    texts = [t.text for t in tokens.items[start:end]]
    if "constexpr" in texts or "extern" in texts or "__shared__" in texts:
        return
    space = "__constant__" if "__constant__" in texts else "__device__"
    at = tokens.items[start + texts.index(space)]
    edits.replace(at.start, at.end, "__constinit")
    for i, text in enumerate(texts):
        if text in _MATH and tokens.is_text(start + i + 1, "("):  # g++ folds these
            message = f"dynamic initialization is not supported for a {space} variable"
            refuse(tokens, edits, start + i, message)


def _variable(tokens: Tokens, variables: dict[str, str], index: int) -> str:
    """nvcc's words about the variable named at ``index`` of a device function's body."""
    name = tokens.items[index].text
    kind = variables.get(name, "")
    if not kind or tokens.items[index - 1].text in (".", "->", "::"):
        return ""
    undefined = f'identifier "{name}" is undefined in device code'
    if kind == "constant":
        after = index + 1
        while tokens.is_text(after, "[") and after in tokens.match:
            after = tokens.match[after] + 1
        written = tokens.items[after].text in _ASSIGNMENTS
        return "expression must be a modifiable lvalue" if written else ""
    if kind == "host":
        return undefined
    if kind == "array":
        return "" if _in_constant_expression(tokens, index) else undefined
    whole = tokens.items[index - 1].text in ("(", ",") and tokens.items[index + 1].text in (
        ")",
        ",",
    )
    return undefined if whole and _argument_of_std(tokens, index) else ""


def _in_constant_expression(tokens: Tokens, index: int) -> bool:
    if tokens.is_text(index + 1, "[") and not tokens.is_text(index - 1, "["):
        i = index
        while tokens.items[i].text not in (";", "{", "}"):
            if tokens.items[i].text in _CONSTANT or tokens.items[i].text == "<":
                return True
            i -= 1
        return False
    return True  # passed on as a whole, or a bound: too rare to be judged by tokens


def _argument_of_std(tokens: Tokens, index: int) -> bool:
    """Whether the token is an argument of std::min and the like, which take references."""
    i = index - 1
    while i > 0 and tokens.items[i].text not in (";", "{", "}"):
        if tokens.items[i].text in (")", "]") and i in tokens.match:
            i = tokens.match[i]
        elif tokens.is_text(i, "("):
            i -= 1
            while tokens.items[i].text in (">", "<") or tokens.items[i].text in _TYPES:
                i -= 1
            named = tokens.items[i].text in _BY_REFERENCE
            return named and tokens.is_text(i - 1, "::") and tokens.is_text(i - 2, "std")
        i -= 1
    return False


def _declared(tokens: Tokens, function: Function) -> frozenset[str]:
    """Names that the function declares itself: parameters and local variables."""
    assert function.body is not None
    names = set()
    for i in range(function.parameters[0], function.body[1]):
        token, before = tokens.items[i], tokens.items[i - 1]
        if token.kind != "name":
            continue
        if (
            i < function.parameters[1]
            or (before.kind == "name" and before.text not in _NOT_TYPES)
            or (before.text in ("*", "&") and tokens.items[i - 2].text in _TYPES)
        ):
            names.add(token.text)
        elif before.text == "," and tokens.items[i + 1].text in ("=", ",", ";", "[") and any(
            t.text in _TYPES for t in tokens.items[max(i - 8, 0) : i]
        ):  # fmt: skip
            names.add(token.text)  # float a = 1, b = 2;
    return frozenset(names)
