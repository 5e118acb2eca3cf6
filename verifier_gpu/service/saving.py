"""Verdicts kept in a folder, with everything that is needed to get them again.

One folder for each submission: `request.json` (the request, its seed resolved),
`verdict.json`, and `submission.cu` or `.py` and `task.py` for a person to read.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from google.protobuf import json_format

from protos.leap.verifier.v1 import verifier_pb2 as pb


class SaveError(Exception):
    """A folder that cannot be read as one that `save` wrote; one sentence."""


@dataclass(frozen=True)
class Saved:
    """One submission's request (with exactly one submission) and its verdict."""

    name: str
    request: pb.VerifyRequest
    verdict: pb.Verdict


def save(
    folder: Path, name: str, request: pb.VerifyRequest, index: int, verdict: pb.Verdict
) -> None:
    """Keeps one verdict of a request. Raises OSError if it cannot be written."""
    kept = pb.VerifyRequest()
    kept.CopyFrom(request)
    del kept.submissions[:]
    kept.submissions.append(request.submissions[index])
    kept.ClearField("client_id")
    kept.ClearField("request_id")
    kept.seed = verdict.seed
    if verdict.provenance.target:
        kept.target = verdict.provenance.target
    place = folder / (re.sub(r"[^\w.-]+", "_", name).strip("._") or f"submission_{index}")
    place.mkdir(parents=True, exist_ok=True)
    cuda = kept.submissions[0].format == pb.SUBMISSION_FORMAT_CUDA
    source = place / ("submission.cu" if cuda else "submission.py")
    source.write_text(kept.submissions[0].source, encoding="utf-8")
    (place / "task.py").write_text(kept.task.reference, encoding="utf-8")
    (place / "request.json").write_text(json_format.MessageToJson(kept), encoding="utf-8")
    (place / "verdict.json").write_text(json_format.MessageToJson(verdict), encoding="utf-8")


def load(folder: Path) -> list[Saved]:
    """What `save` kept, in the order of names. Raises SaveError."""
    places = sorted(path.parent for path in folder.rglob("request.json"))
    if not places:
        raise SaveError(f"{folder} holds nothing that `check --save` wrote")
    return [_load_one(place, folder) for place in places]


def _load_one(place: Path, folder: Path) -> Saved:
    request, verdict = pb.VerifyRequest(), pb.Verdict()
    try:
        json_format.Parse((place / "request.json").read_text(), request)
        json_format.Parse((place / "verdict.json").read_text(), verdict)
    except (OSError, ValueError, json_format.ParseError) as error:
        raise SaveError(f"{place} cannot be read: {error}") from None
    return Saved(str(place.relative_to(folder)), request, verdict)


def differences(before: pb.Verdict, after: pb.Verdict) -> list[str]:
    """What a replay gives differently: outcome, code, stage, diagnostics, mismatch."""
    found = []
    for name, kind in (("outcome", pb.Outcome), ("code", pb.Code), ("stage", pb.Stage)):
        old, new = getattr(before, name), getattr(after, name)
        if old != new:
            found.append(f"{name}: {kind.Name(old)} before, {kind.Name(new)} now")
    if len(before.diagnostics) != len(after.diagnostics):
        counts = f"{len(before.diagnostics)} before, {len(after.diagnostics)} now"
        found.append(f"diagnostics: {counts}")
    if before.mismatch.mismatched != after.mismatch.mismatched:
        counts = f"{before.mismatch.mismatched} before, {after.mismatch.mismatched} now"
        found.append(f"mismatched values: {counts}")
    return found
