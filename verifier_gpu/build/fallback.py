"""Whether a failed build on the slim road may be the slim headers' fault.

A plain mistake of the submission must not cost the minute that torch's real
headers take. So only the first error of a text counts, since no header mends what is
wrong before it, and only if it is about a name of torch's, which, where it is said to be
missing, torch's real headers must hold.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Collection, Sequence
from functools import lru_cache

from verifier_gpu.build.request import BuildRequest, BuildResult, Diagnostic
from verifier_gpu.build.torch_road import torch_headers

_TORCH = r"(?:at|torch|c10|caffe2|pybind11|py)\b"
_HEADER = re.compile(
    r"^(?:cannot open source file \"|fatal error: )?"
    r"((?:torch|ATen|c10|caffe2|pybind11|THC?)/[\w./]+)"
)
_QUOTES = str.maketrans("‘’“”'", '"""""')
# Missing names: the first group is the name.
_MISSING = (
    re.compile(rf'"(?:{_TORCH}::)(?:\w+::)*(\w+)" has not been declared'),
    re.compile(rf'"(\w+)" is not a member of "{_TORCH}'),
    re.compile(rf'"(\w+)" in (?:namespace|class|struct) "{_TORCH}[^"]*" does not name'),
    re.compile(rf'"(?:class |struct |const )*{_TORCH}[^"]*" has no member (?:named )?"(\w+)"'),
    re.compile(rf'namespace "{_TORCH}[^"]*" has no member (?:class |function )?"(\w+)"'),
    re.compile(
        r'"((?:AT|TORCH|C10|CUDA_KERNEL|PYBIND11|STD_TORCH)_\w+)" (?:was not declared|is undefined)'
    ),
    re.compile(r'identifier "((?:AT|TORCH|C10|CUDA_KERNEL|PYBIND11|STD_TORCH)_\w+)" is undefined'),
)
# Calls of torch's own functions with arguments that the slim ones do not take.
_CALLS = (
    re.compile(rf'no matching function for call to "({_TORCH}::[^"(]*)'),
    re.compile(
        r"no instance of (?:overloaded function|function template|constructor) "
        rf'"({_TORCH}::[^"(]*)"'
    ),
    re.compile(
        rf'too (?:few|many) arguments (?:to|in) (?:function|call)[^"]*"?[^"]*({_TORCH}::\w+)'
    ),
)
# Functions whose overloads the slim headers have all: a wrong call is the submission's.
_COMPLETE = frozenset(
    ["size", "sizes", "stride", "strides", "numel", "dim", "data_ptr", "device", "options",
     "scalar_type", "dtype", "item", "to", "is_contiguous", "contiguous", "view", "reshape",
     "transpose", "permute", "squeeze", "unsqueeze", "t", "clone", "fill_", "zero_", "copy_",
     "empty", "zeros", "ones", "empty_like", "zeros_like", "ones_like", "full", "Tensor"]
)  # fmt: skip
_SCOPE = re.compile(r'^name followed by "::" must be')
_SCOPED = re.compile(rf"\b{_TORCH}::(\w+)::")
# namespace F = torch::nn::functional;
_ALIAS = re.compile(rf"\bnamespace\s+(\w+)\s*=\s*({_TORCH}[\w:]*)\s*;")
_LIBRARY = re.compile(r"\bTORCH_LIBRARY\w*\s*\(")
_OURS = re.compile(
    r"leap::Conversion<(?:leap::Plain<)?([\w:]+)"
    # but not what the cpu target makes of launches and __shared__
    r"|leap::(?!Shared|configure\b|Parameter\b|Body\b|call_by_address\b)(\w+)"
)
_UNTERMINATED = re.compile(r"^unterminated argument list")


def lacking(request: BuildRequest, result: BuildResult) -> str:
    """What the slim headers seem to lack, in words, or "" if the failure is the submission's."""
    if result.code not in ("COMPILE_ERROR", "LINK_ERROR") or result.road != "slim":
        return ""
    texts = {source.name: source.text for source in request.sources}
    if any(_LIBRARY.search(text) for text in texts.values()):
        return "TORCH_LIBRARY"
    if any(_UNTERMINATED.match(diagnostic.message) for diagnostic in result.diagnostics):
        return ""  # a macro of torch's without its end is no macro
    for diagnostic in _first_errors(result.diagnostics, texts):
        message = diagnostic.message.translate(_QUOTES)
        for alias, scope in _ALIAS.findall(texts.get(diagnostic.file, "")):
            message = re.sub(rf'\b{alias}(?=::|")', scope, message)
        found = _lacking_in(message)
        if not found and _SCOPE.match(diagnostic.message):  # nvcc does not say which name
            line = texts.get(diagnostic.file, "").splitlines()[diagnostic.line - 1 :][:1]
            names = _SCOPED.findall(line[0]) if line else []
            found = next((name for name in names if _known_to_torch(name)), "")
        if found:
            return found
    return ""


def _first_errors(diagnostics: Sequence[Diagnostic], own: Collection[str]) -> list[Diagnostic]:
    """The first error in each of the submission's texts; if they have none, those elsewhere."""
    errors = [diagnostic for diagnostic in diagnostics if diagnostic.severity == "error"]
    errors.sort(key=lambda error: (error.line, error.column))
    first = {error.file: error for error in reversed(errors) if error.file in own}
    return list(first.values()) or errors


def _lacking_in(message: str) -> str:
    header = _HEADER.match(message)
    if header:
        return f"the header {header[1]}" if _has_header(header[1]) else ""
    for pattern in _MISSING:
        match = pattern.search(message)
        if match:
            return match[1] if _known_to_torch(match[1]) else ""
    for pattern in _CALLS:
        match = pattern.search(message)
        if match:
            name = match[1].split("<")[0].split("::")[-1]
            return "" if name in _COMPLETE else f"this use of {match[1]}"
    ours = _OURS.search(message)
    if ours:
        return f"a binding of {ours[1]}" if ours[1] else ours[2]
    return ""


def _has_header(name: str) -> bool:
    headers = torch_headers()
    return headers is not None and any(
        (root / name).exists() for root in (headers, headers / "torch/csrc/api/include")
    )


@lru_cache(maxsize=4096)
def _known_to_torch(name: str) -> bool:
    """Whether torch's headers hold the word."""
    headers = torch_headers()
    if headers is None:
        return False
    roots = [headers / name for name in ("ATen", "c10", "torch", "pybind11")]
    command = ["grep", "-rqwF", name, *(str(root) for root in roots if root.exists())]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
