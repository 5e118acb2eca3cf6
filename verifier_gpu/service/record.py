"""A verdict while it is being made: the stage it has reached, where time went, how it ended."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from typing import Any

from protos.leap.verifier.v1 import verifier_pb2 as pb

OnStage = Callable[["pb.Stage.ValueType"], None]

_MAX_TEXT = 4000
_MAX_DIAGNOSTICS = 50
_RETRY_SECONDS = 1.0


class Stop(Exception):
    """Ends the pipeline with a code (without its prefix "CODE_")."""

    def __init__(self, code: str, message: str, **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details


class Record:
    """Builds one Verdict."""

    def __init__(self, on_stage: OnStage) -> None:
        self.verdict = pb.Verdict()
        self._on_stage = on_stage

    def enter(self, stage: pb.Stage.ValueType) -> None:
        """The submission entered a stage."""
        if self.verdict.stage != stage:
            self.verdict.stage = stage
            self._on_stage(stage)

    @contextlib.contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Adds the time spent inside to the durations."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.add_duration(name, time.perf_counter() - start)

    def add_duration(self, name: str, seconds: float) -> None:
        for duration in self.verdict.durations:
            if duration.name == name:
                duration.seconds += seconds
                return
        self.verdict.durations.add(name=name, seconds=seconds)

    def note(self, text: str) -> None:
        if text and text not in self.verdict.notes:
            self.verdict.notes.append(text[:_MAX_TEXT])

    def passed(self) -> None:
        self.verdict.outcome = pb.OUTCOME_PASSED

    def stop(self, stop: Stop) -> None:
        """Fills outcome, code, message and details of a verdict that did not pass."""
        verdict = self.verdict
        verdict.code = pb.Code.Value(f"CODE_{stop.code}")
        verdict.message = _clean(stop.message)
        infra = verdict.code >= pb.CODE_UNSUPPORTED
        verdict.outcome = pb.OUTCOME_INFRA_ERROR if infra else pb.OUTCOME_FAILED
        if infra:
            permanent = (pb.CODE_UNSUPPORTED, pb.CODE_TASK_INVALID, pb.CODE_NO_MATCHING_HARDWARE)
            verdict.retryable = verdict.code not in permanent
            if verdict.retryable:
                verdict.retry_after.FromTimedelta(_seconds(_RETRY_SECONDS))
        for entry in stop.details.get("diagnostics") or []:
            if len(verdict.diagnostics) < _MAX_DIAGNOSTICS:
                _add_diagnostic(verdict, entry)
        if stop.details.get("mismatch"):
            fill(verdict.mismatch, stop.details["mismatch"])
        if stop.details.get("fault"):
            fill(verdict.fault, stop.details["fault"])


def fill(message: Any, values: Any) -> None:
    """Copies a JSON object into a proto message, dropping whatever does not fit.

    The object may come from a candidate's process: unknown fields, wrong types
    and numbers out of range are left out.
    """
    if not isinstance(values, dict):
        return
    for field in message.DESCRIPTOR.fields:
        value = values.get(field.name)
        if value is None:
            continue
        try:
            current = getattr(message, field.name)
            if hasattr(current, "extend"):
                current.extend(value[:64])
            elif field.message_type is not None:
                fill(current, value)
            else:
                setattr(message, field.name, _clean(value) if isinstance(value, str) else value)
        except (TypeError, ValueError):
            continue


def _add_diagnostic(verdict: pb.Verdict, entry: Any) -> None:
    values = entry if isinstance(entry, dict) else vars_of(entry)
    severity = str(values.get("severity") or "error").upper()
    diagnostic = verdict.diagnostics.add()
    fill(diagnostic, {key: value for key, value in values.items() if key != "severity"})
    known = severity in ("ERROR", "WARNING", "NOTE")
    diagnostic.severity = pb.Severity.Value(f"SEVERITY_{severity}" if known else "SEVERITY_ERROR")


def vars_of(entry: Any) -> dict[str, Any]:
    """The fields of a dataclass instance."""
    return {name: getattr(entry, name) for name in entry.__dataclass_fields__}


def _clean(text: object) -> str:
    """Text that a proto can hold (no lone surrogates), of bounded length."""
    return str(text)[:_MAX_TEXT].encode("utf-8", "replace").decode("utf-8")


def _seconds(value: float) -> Any:
    import datetime

    return datetime.timedelta(seconds=value if math.isfinite(value) else 0.0)
