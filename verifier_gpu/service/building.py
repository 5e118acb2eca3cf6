"""What a submission asks of the builder, and what the builder's diagnostics mean to it."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any, TypedDict

from verifier_gpu.build.request import Diagnostic, SourceFile
from verifier_gpu.runner.channel import Message
from verifier_gpu.service.record import Stop


class Flags(TypedDict, total=False):
    """Flags of a build; absent ones are empty."""

    extra_cflags: tuple[str, ...]
    extra_cuda_cflags: tuple[str, ...]
    extra_ldflags: tuple[str, ...]


def cuda_sources(source: str) -> tuple[SourceFile, ...]:
    """The one source of a submission of format `cuda`."""
    return (SourceFile("submission.cu", source, "cuda"),)


def inline_request(
    request: Message,
) -> tuple[tuple[SourceFile, ...], tuple[str, ...], Flags]:
    """Sources, functions and flags of a `load_inline`, from an untrusted message.

    Raises Stop(FORBIDDEN) if it is malformed.
    """
    try:
        sources = tuple(
            SourceFile(
                _file_name(entry["name"]),
                _string(entry["text"]),
                "cuda" if entry["language"] == "cuda" else "cpp",
            )
            for entry in request["sources"]
        )
        flags = Flags(
            extra_cflags=tuple(map(_string, request["extra_cflags"])),
            extra_cuda_cflags=tuple(map(_string, request["extra_cuda_cflags"])),
            extra_ldflags=tuple(map(_string, request["extra_ldflags"])),
        )
        return sources, tuple(map(_string, request["functions"])), flags
    except (KeyError, TypeError, AttributeError):
        raise Stop("FORBIDDEN", "the submission asked for a malformed build") from None


def _file_name(value: Any) -> str:
    if not re.fullmatch(r"\w[\w.-]{0,99}", _string(value)):
        raise TypeError("not a plain file name")
    return str(value)


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a string")
    return value


def quoted(diagnostic: Diagnostic, format_: str, sources: tuple[SourceFile, ...]) -> dict[str, Any]:
    """A diagnostic; of a string given to `load_inline`, with the line that it names."""
    entry = asdict(diagnostic)
    for source in sources:
        if format_ == "kernelbench" and source.name == diagnostic.file:
            # Behind the implicit headers, `#line 1` starts the submission's own numbering.
            _, marker, own = source.text.partition(f'#line 1 "{source.name}"\n')
            lines = (own if marker else source.text).splitlines()
            if 0 < diagnostic.line <= len(lines):
                entry["message"] += f": {lines[diagnostic.line - 1].strip()}"
    return entry
