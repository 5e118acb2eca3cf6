"""Compiler output becomes diagnostics: gcc's, nvcc's and ptxas's forms."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import PurePath

from verifier_gpu.build.request import Diagnostic, KernelResources, Severity

_GCC = re.compile(
    r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):(?:(?P<column>\d+):)? "
    r"(?P<severity>fatal error|error|warning|note|sorry, unimplemented): (?P<message>.*)$"
)
_NVCC = re.compile(
    r"^(?P<file>[^\s(][^(\n]*)\((?P<line>\d+)\): "
    r"(?P<severity>catastrophic error|[Ee]rror|warning|remark)(?: #[\w-]+)?: (?P<message>.*)$"
)
_PTXAS = re.compile(r"^(?:ptxas|nvcc) (?P<severity>fatal|error|warning)\s*: (?P<message>.*)$")
_LINKER = re.compile(
    r"(?P<message>undefined (?:reference to|symbol:?) .*|multiple definition of .*|"
    r"cannot find -l.*)$"
)
_SEVERITY: dict[str, Severity] = {
    "warning": "warning", "note": "note", "remark": "note",
}  # fmt: skip
_KERNEL = re.compile(r"Compiling entry function '(?P<name>[^']+)' for")
_SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (?P<registers>\d+) registers")
_SHARED = re.compile(r"(\d+) bytes smem")


def parse(
    output: str, own: frozenset[str] = frozenset(), limit: int = 100
) -> tuple[Diagnostic, ...]:
    """The first ``limit`` diagnostics of a compiler's output: errors before the rest,
    and those in a file named in ``own`` before those in headers.

    A file is called by its last path component.
    """
    found: list[Diagnostic] = []
    for line in output.splitlines():
        match = _GCC.match(line) or _NVCC.match(line)
        if match:
            parts = match.groupdict()
            found.append(
                Diagnostic(
                    file=PurePath(parts["file"]).name,
                    line=int(parts["line"]),
                    column=int(parts.get("column") or 0),
                    severity=_SEVERITY.get(parts["severity"], "error"),
                    message=parts["message"].strip(),
                )
            )
            continue
        match = _PTXAS.match(line)
        if match:
            severity = _SEVERITY.get(match["severity"], "error")
            found.append(Diagnostic("", 0, 0, severity, match["message"].strip()))
    found.sort(key=lambda d: (d.severity != "error", bool(own) and d.file not in own))
    return tuple(dict.fromkeys(found))[:limit]


def parse_linker(output: str, limit: int = 20) -> tuple[Diagnostic, ...]:
    """Undefined and doubly defined symbols, and libraries that are not there."""
    found = [
        Diagnostic("", 0, 0, "error", match["message"].strip())
        for line in output.splitlines()
        if (match := _LINKER.search(line))
    ]
    return tuple(dict.fromkeys(found))[:limit]


def parse_resources(output: str) -> tuple[KernelResources, ...]:
    """Registers, spills and shared memory by kernel, from ``ptxas -v``."""
    kernels: list[KernelResources] = []
    name, spills = "", 0
    for line in output.splitlines():
        if match := _KERNEL.search(line):
            name, spills = match["name"], 0
        elif match := _SPILLS.search(line):
            spills = int(match[1]) + int(match[2])
        elif name and (match := _USED.search(line)):
            shared = _SHARED.search(line)
            kernels.append(
                KernelResources(
                    name, int(match["registers"]), spills, int(shared[1]) if shared else 0
                )
            )
            name = ""
    readable = _demangle([kernel.kernel for kernel in kernels])
    return tuple(replace(k, kernel=name) for k, name in zip(kernels, readable, strict=True))


def _demangle(names: list[str]) -> list[str]:
    """The names as C++ spells them; as they are where there is no c++filt."""
    tool = shutil.which("c++filt")
    if tool is None or not names:
        return names
    done = subprocess.run(
        [tool], input="\n".join(names), capture_output=True, text=True, check=False
    )
    readable = done.stdout.splitlines()
    return readable if len(readable) == len(names) else names
