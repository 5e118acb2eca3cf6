"""A verdict becomes text for the model that wrote the submission.

Templates are text files beside this one. `{field}` names a part of the verdict
(`_FIELDS`); a line whose fields are all empty is left out. The text fits a
budget in UTF-8 bytes: diagnostics are dropped from the last on, then the text
is cut at the end.
"""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Callable
from pathlib import Path

from protos.leap.verifier.v1 import verifier_pb2 as pb

DEFAULT_TEMPLATE = "default"
DEFAULT_MAX_BYTES = 2048

_TEMPLATES = Path(__file__).parent / "templates"
_FIELD = re.compile(r"\{(\w+)\}")
_MAX_DIAGNOSTICS = 8


@functools.cache
def template_names() -> tuple[str, ...]:
    """Names of the templates, sorted."""
    return tuple(sorted(path.stem for path in _TEMPLATES.glob("*.txt")))


@functools.cache
def _template(name: str) -> tuple[str, str]:
    text = (_TEMPLATES / f"{name}.txt").read_text()
    return text, "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def render(verdict: pb.Verdict, submission: pb.Submission, options: pb.FeedbackOptions) -> None:
    """Sets `feedback`, `feedback_template` and `feedback_template_digest` of a verdict."""
    name = options.template or DEFAULT_TEMPLATE
    text, digest = _template(name)
    limit = options.max_bytes or DEFAULT_MAX_BYTES
    source = submission.source.splitlines()
    kept = min(len(verdict.diagnostics), _MAX_DIAGNOSTICS)
    while True:
        feedback = _fill(text, verdict, source, kept)
        if len(feedback.encode()) <= limit or kept <= 1:
            break
        kept -= 1
    verdict.feedback = _cut(feedback, limit)
    verdict.feedback_template = name
    verdict.feedback_template_digest = digest


def _fill(text: str, verdict: pb.Verdict, source: list[str], diagnostics: int) -> str:
    lines = []
    for line in text.splitlines():
        values = {
            field: _FIELDS[field](verdict, source, diagnostics) for field in _FIELD.findall(line)
        }
        if not values or any(values.values()):
            filled = _FIELD.sub(lambda match: values[match[1]], line)  # noqa: B023 - used at once
            lines.append(filled.rstrip(" :"))
    return "\n".join(lines).strip()


def _cut(text: str, limit: int) -> str:
    data = text.encode()
    return text if len(data) <= limit else data[:limit].decode(errors="ignore")


def _code(verdict: pb.Verdict, source: list[str], diagnostics: int) -> str:
    if verdict.outcome == pb.OUTCOME_PASSED:
        return "PASSED"
    return pb.Code.Name(verdict.code).removeprefix("CODE_")


def _verdict(verdict: pb.Verdict, source: list[str], diagnostics: int) -> str:
    if verdict.outcome == pb.OUTCOME_PASSED:
        return "The kernel is correct."
    stage = pb.Stage.Name(verdict.stage).removeprefix("STAGE_").lower()
    return f"The kernel failed at stage {stage}: {_code(verdict, source, diagnostics)}"


def _message(verdict: pb.Verdict, source: list[str], diagnostics: int) -> str:
    return verdict.message


def _first_diagnostic(verdict: pb.Verdict, source: list[str], diagnostics: int) -> str:
    return _diagnostics(verdict, source, 1)


def _diagnostics(verdict: pb.Verdict, source: list[str], diagnostics: int) -> str:
    return "\n".join(_one(entry, source) for entry in verdict.diagnostics[:diagnostics])


def _one(entry: pb.Diagnostic, source: list[str]) -> str:
    """A diagnostic with the line of the submission that it names."""
    place = f"line {entry.line}: " if entry.line else ""
    if entry.file and not entry.file.startswith("submission."):
        place = f"{entry.file}, {place or ': '}"
        quoted = ""
    else:
        inside = 0 < entry.line <= len(source)
        quoted = f"\n  {source[entry.line - 1].strip()}" if inside else ""
    return f"{place}{entry.message}{quoted}"


def _mismatch(verdict: pb.Verdict, source: list[str], diagnostics: int) -> str:
    if not verdict.HasField("mismatch") or not verdict.mismatch.mismatched:
        return ""
    m = verdict.mismatch
    return (
        f"{_first_mismatch(verdict, source, diagnostics)}; "
        f"largest error {m.max_absolute_error:.3g} absolute, {m.max_relative_error:.3g} relative "
        f"(allowed {verdict.tolerance.absolute:.2g} + {verdict.tolerance.relative:.2g} relative)"
    )


def _first_mismatch(verdict: pb.Verdict, source: list[str], diagnostics: int) -> str:
    if not verdict.HasField("mismatch") or not verdict.mismatch.mismatched:
        return ""
    m = verdict.mismatch
    output = f"output {m.output_index}" if m.output_index else "output"
    index = ", ".join(map(str, m.first_bad_index))
    return (
        f"first wrong: {output}[{index}] is {m.actual_at_first:.6g}, "
        f"expected {m.expected_at_first:.6g}"
    )


def _fault(verdict: pb.Verdict, source: list[str], diagnostics: int) -> str:
    if not verdict.HasField("fault"):
        return ""
    fault = verdict.fault
    parts = [f"in kernel {fault.kernel}" if fault.kernel else "in host code"]
    if fault.HasField("block"):
        parts.append(f"block {_dim3(fault.block)} thread {_dim3(fault.thread)}")
    if fault.HasField("other_thread"):
        parts.append(f"and block {_dim3(fault.other_block)} thread {_dim3(fault.other_thread)}")
    if fault.line:
        parts.append(f"line {fault.line}")
        if fault.line <= len(source):
            parts[-1] += f": {source[fault.line - 1].strip()}"
    return ", ".join(parts)


def _dim3(value: pb.Dim3) -> str:
    return f"({value.x}, {value.y}, {value.z})"


def _resources(verdict: pb.Verdict, source: list[str], diagnostics: int) -> str:
    return "\n".join(
        f"{kernel.kernel}: {kernel.registers} registers, {kernel.spill_bytes} bytes spilled, "
        f"{kernel.shared_bytes} bytes shared"
        for kernel in verdict.kernels
        if kernel.spill_bytes
    )


_FIELDS: dict[str, Callable[[pb.Verdict, list[str], int], str]] = {
    "code": _code,
    "verdict": _verdict,
    "message": _message,
    "diagnostics": _diagnostics,
    "first_diagnostic": _first_diagnostic,
    "mismatch": _mismatch,
    "first_mismatch": _first_mismatch,
    "fault": _fault,
    "resources": _resources,
}
