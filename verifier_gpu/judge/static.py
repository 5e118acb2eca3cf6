"""What is decided about a submission before anything is compiled: few rules, by parsing.

PARSE   NO_CODE        the text is empty, or holds no `forward` / no `ModelNew`
        SYNTAX_ERROR   format `kernelbench`: Python cannot parse it
POLICY  FORBIDDEN      format `kernelbench`: it imports a module that reaches other
                       processes or the network, or starts a process; a kernel needs none

These rules give early, clear answers. They are not what keeps a cheat out: that
is the split into processes, where values decide.
"""

from __future__ import annotations

import ast
import re
import warnings
from dataclasses import asdict, dataclass, field
from typing import Any

_FORBIDDEN_MODULES = frozenset(
    {
        "subprocess",
        "multiprocessing",
        "socket",
        "ctypes",
        "pickle",
        "marshal",
        "shutil",
        "requests",
        "urllib",
        "http",
        "ftplib",
        "pip",
        "ptrace",
    }
)
_FORBIDDEN_CALLS = frozenset(
    {"os.system", "os.popen", "os.fork", "os.execv", "os.execve", "os.kill"}
)


@dataclass(frozen=True)
class Finding:
    """`code` is None when the submission may go on."""

    stage: str = "POLICY"
    code: str | None = None
    message: str = ""
    line: int = 0
    column: int = 0
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def check(format_: str, source: str) -> Finding:
    """Applies the rules of a format ("cuda" or "kernelbench") to a submission's text."""
    if "\0" in source:
        return Finding("PARSE", "SYNTAX_ERROR", "the source contains a null byte")
    if not source.strip():
        return Finding("PARSE", "NO_CODE", "the submission is empty")
    return _check_cuda(source) if format_ == "cuda" else _check_python(source)


def _check_cuda(source: str) -> Finding:
    if not re.search(r"\bforward\b|\bPYBIND11_MODULE\b|\bTORCH_LIBRARY", source):
        message = "the submission defines no function forward(...)"
        return Finding("PARSE", "NO_CODE", message)
    return Finding()


def _check_python(source: str) -> Finding:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source)
    except SyntaxError as error:
        message = f"Python cannot parse the submission: {error.msg}"
        return Finding("PARSE", "SYNTAX_ERROR", message, error.lineno or 0, error.offset or 0)
    except (ValueError, RecursionError, MemoryError) as error:
        return Finding("PARSE", "SYNTAX_ERROR", f"Python cannot parse the submission: {error}")
    try:
        return _check_tree(tree)
    except RecursionError:
        return Finding("PARSE", "SYNTAX_ERROR", "the submission is nested too deeply")


def _check_tree(tree: ast.Module) -> Finding:
    if not any("ModelNew" in _bound_names(node) for node in ast.walk(tree)):
        return Finding("PARSE", "NO_CODE", "the submission defines no class ModelNew")
    for node in ast.walk(tree):
        reason = _forbidden(node)
        if reason:
            line, column = getattr(node, "lineno", 0), getattr(node, "col_offset", -1) + 1
            return Finding("POLICY", "FORBIDDEN", reason, line, column)
    return Finding()


def _bound_names(node: ast.AST) -> list[str]:
    if isinstance(node, ast.ClassDef):
        return [node.name]
    if isinstance(node, ast.Assign):
        return [target.id for target in node.targets if isinstance(target, ast.Name)]
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return [alias.asname or alias.name for alias in node.names]
    return []


def _forbidden(node: ast.AST) -> str | None:
    modules: list[str] = []
    if isinstance(node, ast.Import):
        modules = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module:
        modules = [node.module]
    for module in modules:
        if module.split(".")[0] in _FORBIDDEN_MODULES:
            return f"a submission may not import {module}"
    if isinstance(node, ast.Call) and ast.unparse(node.func) in _FORBIDDEN_CALLS:
        return f"a submission may not call {ast.unparse(node.func)}"
    return None
