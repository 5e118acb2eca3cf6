"""From a request's sources to translation units: preludes, bindings, rewriting.

Nothing is put before a line of the submission without a ``#line``, so that
diagnostics keep its line numbers.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from verifier_gpu.build.request import BuildRequest, Road, SourceFile
from verifier_gpu.emulator.rewrite import Unsupported, rewrite

BINDING_NAME = "binding"
_MODULE = re.compile(r"\b(PYBIND11_MODULE|TORCH_LIBRARY(_IMPL|_FRAGMENT)?|PYBIND11_PLUGIN)\s*\(")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_INCLUDE = re.compile(
    r"^[ \t]*#[ \t]*(include[ \t]*[<\"][\w./]+[>\"]|pragma once|line \d+ \"[^\"\n]*\")[ \t]*$",
    re.MULTILINE,
)
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Unit:
    """One translation unit: ``file_name`` in the build's directory, and its text."""

    file_name: str
    text: str
    language: str  # "cuda" or "cpp"


def units(request: BuildRequest, road: Road) -> list[Unit]:
    """The translation units of a request, bindings added.

    Raises:
        Unsupported: the cpu target cannot emulate a construct of the text, or has
            no such road.
    """
    if road == "torch" and request.target == "cpu":
        # To torch's own headers an emulated tensor is a CPU tensor: is_cuda() is false.
        raise Unsupported("building with torch's own headers", 1)
    functions = request.functions or _default_functions(request.sources)
    # With torch's own headers a C++ unit of its own is faster: it compiles beside nvcc.
    merge = road == "slim"
    merged = (
        _merged(list(request.sources), functions) if merge else [(s, [s]) for s in request.sources]
    )
    home = _binding_home(merged)
    return [
        Unit(
            file_name=f"unit{index}.{'cu' if source.language == 'cuda' else 'cpp'}",
            text=_text(request, pieces) + (_bindings(functions) if index == home else ""),
            language=source.language,
        )
        for index, (source, pieces) in enumerate(merged)
    ]


def only_declares(text: str) -> bool:
    """Whether a text holds nothing but includes and function declarations."""
    plain = _INCLUDE.sub("", _COMMENT.sub("", text))
    if re.search(r"[{}#]|\b(using|typedef|namespace|template|static|inline|struct|class)\b", plain):
        return False
    statements = [s for s in plain.split(";") if s.strip()]
    return all(
        re.search(r"\w[\w:<>,&*\s]*\s[*&]?\w+\s*\(.*\)\s*$", s, re.DOTALL) for s in statements
    )


def _default_functions(sources: tuple[SourceFile, ...]) -> tuple[str, ...]:
    if any(_MODULE.search(_COMMENT.sub("", source.text)) for source in sources):
        return ()
    return ("forward",)


def _merged(
    sources: list[SourceFile], functions: tuple[str, ...]
) -> list[tuple[SourceFile, list[SourceFile]]]:
    """Each source with the pieces of its unit, in order.

    C++ sources that only declare the bound functions are compiled with the CUDA
    source that defines them: one compiler run less, and a declaration that does not
    match is an error with a line instead of an undefined symbol.
    """
    cuda = [s for s in sources if s.language == "cuda"]
    declarations = [s for s in sources if s.language == "cpp"]
    declared = set(_IDENTIFIER.findall(" ".join(s.text for s in declarations)))
    if (
        len(cuda) == 1
        and all(only_declares(s.text) for s in declarations)
        and (not declarations or declared.issuperset(functions))
    ):
        return [(cuda[0], [cuda[0], *declarations])]
    return [(s, [s]) for s in sources]


def _binding_home(merged: list[tuple[SourceFile, list[SourceFile]]]) -> int:
    """Index of the unit that gets the bindings: the last C++ one, else the last."""
    cpp = [i for i, (source, _) in enumerate(merged) if source.language == "cpp"]
    return cpp[-1] if cpp else len(merged) - 1


def _text(request: BuildRequest, pieces: list[SourceFile]) -> str:
    parts = []
    for piece in pieces:
        if request.target == "cpu" and piece.language == "cuda":
            lambdas = any("extended-lambda" in flag for flag in request.extra_cuda_cflags)
            parts.append(rewrite(piece.text, piece.name, extended_lambda=lambdas))
        else:
            parts.append(f"#line 1 {json.dumps(piece.name)}\n{piece.text}")
    return "\n".join(parts) + "\n"


def _bindings(functions: tuple[str, ...]) -> str:
    names = [name for name in functions if _IDENTIFIER.fullmatch(name)]
    if not names:
        return ""
    lines = "\n".join(f'  m.def("{name}", &{name}, "");' for name in names)
    return f'#line 1 "{BINDING_NAME}"\nPYBIND11_MODULE(TORCH_EXTENSION_NAME, m) {{\n{lines}\n}}\n'
