"""What g++ says on the cpu target, in nvcc's words.

A model that learns from feedback shall read the same words on both targets. Each rule
is a form of g++'s and what nvcc says of the same mistake; a message that no rule knows
stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from verifier_gpu.build.request import BuildResult

_HINT = re.compile(r"; did you mean ‘[^’]*’\?$| \[-f?[\w-]+\]$| \{aka ‘[^’]*’\}")
_NAMESPACES = frozenset(["torch", "at", "c10", "std", "wmma", "nvcuda", "cg", "cooperative_groups"])
_BUILT_IN = re.compile(
    r"(const |volatile |unsigned |signed |long |short )*(void|bool|char|int|long|short|float|double"
    r"|unsigned|size_t|u?int\d+_t)( const)?"
)
_INTEGRAL_ONLY = ("%", "<<", ">>", "&", "|", "^")

# A rule's result takes the match; types within it are spelled as nvcc spells them.
_Rule = tuple[str, "str | Callable[[re.Match[str]], str]"]


def _type(text: str) -> str:
    """``const float*`` as ``const float *``."""
    return re.sub(r"(?<=[\w>])([*&]+)", r" \1", re.sub(r"^(const )?(struct|class) ", r"\1", text))


def _member(match: re.Match[str]) -> str:
    scope = re.sub(r"^(const )?(struct |class |union )?", "", match["scope"])
    kind = "namespace" if scope.split("::")[-1] in _NAMESPACES else "class"
    return f'{kind} "{scope}" has no member "{match["member"]}"'


def _conversion(match: re.Match[str]) -> str:
    source, target = _type(match["source"]), _type(match["target"])
    where = match.groupdict().get("where")
    if where:
        verb = "assigned to" if where == "assignment" else "used to initialize"
        return f'a value of type "{source}" cannot be {verb} an entity of type "{target}"'
    if "*" not in source and not _BUILT_IN.fullmatch(source):
        return f'no suitable conversion function from "{source}" to "{target}" exists'
    return f'argument of type "{source}" is incompatible with parameter of type "{target}"'


def _operands(match: re.Match[str]) -> str:
    if match["operator"] in _INTEGRAL_ONLY:
        return "expression must have integral or unscoped enum type"
    return f'no operator "{match["operator"]}" matches these operands'


_RULES: list[_Rule] = [
    (r"static assertion failed: nvcc: (?P<text>.*)", r"\g<text>"),
    (r"static assertion failed: (?P<text>.*)", r'static assertion failed with "\g<text>"'),
    (r"‘(?P<name>[^’]*)’ (was not declared in this scope|does not name a type)",
     r'identifier "\g<name>" is undefined'),
    (r"‘[^’]*’ has not been declared", 'name followed by "::" must be a class or namespace name'),
    (r"‘(?P<scope>[^’]*)’ has no member named ‘(?P<member>[^’]*)’", _member),
    (r"‘(?P<member>[^’]*)’ is not a member of ‘(?P<scope>[^’]*)’", _member),
    (r"‘(?P<member>[^’]*)’ in (namespace|class|struct) ‘(?P<scope>[^’]*)’ does not name a .*",
     _member),
    (r"too many initializers for ‘.*’", "too many initializer values"),
    (r"invalid ‘(static|reinterpret|const|dynamic)_cast’ from type .*", "invalid type conversion"),
    (r"(assignment|increment|decrement) of read-only .*|lvalue required as .* of assignment",
     "expression must be a modifiable lvalue"),
    (r"‘constinit’ variable ‘.*’ does not have a constant initializer",
     "dynamic initialization is not supported for a __device__ variable"),
    (r"conflicting declaration ‘.*leap_dynamic_(?P<name>\w+).*’",
     r'declaration is incompatible with previous "\g<name>"'),
    (r"redefinition of ‘[^(’]*?(?P<name>[\w:~]+)(<.*>)?\(.*’",
     r'function "\g<name>" has already been defined'),
    (r"redefinition of ‘(?P<kind>struct|class) (?P<name>.*)’",
     r'class "\g<name>" has already been defined'),
    (r"(redeclaration of|conflicting declaration|redefinition of) ‘.*?(?P<name>\w+)( ?\[.*\])?’",
     r'"\g<name>" has already been declared in the current scope'),
    (r"return-statement with a value, in function returning ‘.*’",
     "return value type does not match the function type"),
    (r"return-statement with no value, in function returning ‘.*’",
     "return statement without a value in a function that returns one"),
    (r"could not convert ‘.*’ from ‘(?P<source>[^’]*)’ to ‘(?P<target>[^’]*)’", _conversion),
    (r"cannot convert ‘(?P<source>[^’]*)’ to ‘(?P<target>[^’]*)’"
     r"( in (?P<where>initialization|assignment|return))?", _conversion),
    (r"invalid conversion from ‘(?P<source>[^’]*)’ to ‘(?P<target>[^’]*)’", _conversion),
    (r"cannot resolve overloaded function ‘.*’ based on conversion to type ‘.*’",
     "a pointer to a bound function may only be used to call the function"),
    (r"base operand of ‘->’ has non-pointer type ‘(?P<type>[^’]*)’",
     r'operator -> or ->* applied to "\g<type>" instead of to a pointer type'),
    (r"too (?P<amount>few|many) arguments to function ‘.*’",
     r"too \g<amount> arguments in function call"),
    (r"the value of ‘.*’ is not usable in a constant expression|.* is not a constant expression"
     r"|non-constant condition for static assertion"
     r"|array bound is not an integer constant .*", "expression must have a constant value"),
    (r"expected (‘,’ or )?‘;’ before .*|expected ‘;’ at end of .*", 'expected a ";"'),
    (r"expected ‘(?P<token>[)\]}>(])’ (before|at end of) .*", r'expected a "\g<token>"'),
    (r"expected primary-expression before .*", "expected an expression"),
    (r"expected (unqualified-id|identifier) before .*", "expected an identifier"),
    (r"‘.*’ cannot be used as a function|expression cannot be used as a function",
     "expression preceding parentheses of apparent call must have (pointer-to-) function type"),
    (r"request for member ‘.*’ in ‘.*’, which is of (pointer|non-class) type ‘(?P<type>[^’]*)’.*",
     lambda match: f'expression must have class type but it has type "{_type(match["type"])}"'),
    (r"invalid type argument of unary ‘\*’ \(have ‘(?P<type>[^’]*)’\)",
     lambda match: f'operand of "*" must be a pointer but has type "{_type(match["type"])}"'),
    (r"invalid types ‘(?P<type>.*)\[[^\]]*\]’ for array subscript",
     lambda m: f'expression must have pointer-to-object type but it has type "{_type(m["type"])}"'),
    (r"no match for ‘operator=’ \(operand types are ‘leap::SharedPointer’.*",
     "an initializer is not allowed on a local declaration of an extern variable"),
    (r"invalid initialization of non-const reference .*leap::SharedReference.*",
     "a variable length array cannot have static storage duration"),
    (r"invalid operands of types ‘.*’ and ‘.*’ to binary ‘operator(?P<operator>[^’]*)’", _operands),
    (r"no match for ‘operator(?P<operator>[^’]*)’ \(operand types? .*",
     r'no operator "\g<operator>" matches these operands'),
    (r"call of overloaded ‘(?P<name>[\w:]+).*’ is ambiguous",
     r'more than one instance of overloaded function "\g<name>" matches the argument list:'),
]  # fmt: skip
_COMPILED = [(re.compile(pattern), result) for pattern, result in _RULES]
_NO_MATCH = re.compile(r"no matching function for call to ‘(?P<name>[\w:~]+).*’")


def translate(result: BuildResult) -> BuildResult:
    """The result with its errors in nvcc's words; notes of g++'s, which explain them, stay."""
    notes = [d.message for d in result.diagnostics if d.severity == "note"]
    words = {
        d.message: _in_nvcc_words(d.message, notes)
        for d in result.diagnostics
        if d.severity == "error"
    }
    return replace(
        result,
        message=words.get(result.message, result.message),
        diagnostics=tuple(
            replace(d, message=words[d.message]) if d.severity == "error" else d
            for d in result.diagnostics
        ),
    )


def _in_nvcc_words(message: str, notes: Sequence[str]) -> str:
    plain = _HINT.sub("", _HINT.sub("", message))
    if match := _NO_MATCH.fullmatch(plain):
        return _no_instance(match["name"], notes)
    for pattern, result in _COMPILED:
        if match := pattern.fullmatch(plain):
            return match.expand(result) if isinstance(result, str) else result(match)
    return message


def _no_instance(name: str, notes: Sequence[str]) -> str:
    *scope, last = name.split("::")
    candidates = [note for note in notes if re.match(rf"candidate: .*\b{re.escape(last)}\(", note)]
    if scope[-1:] == [last]:
        return f'no instance of constructor "{name}" matches the argument list'
    one = len(candidates) == 1
    if one and "template<" not in candidates[0]:
        return f'function "{name}" cannot be called with the given argument list'
    kind = "function template" if one else "overloaded function"
    return f'no instance of {kind} "{name}" matches the argument list'
