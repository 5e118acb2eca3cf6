"""`leap corpus`: have every draft judged by a verifier and keep what it confirms."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, TextIO

from policy_jax.data.corpus import (
    Attempt,
    Corpus,
    CorpusError,
    Header,
    Row,
    Verify,
    code_name,
    row_from_json,
    sha256,
    verify_request,
    write_corpus,
)
from policy_jax.data.corpus_plan import Draft, Plan, drafts
from protos.leap.verifier.v1 import verifier_pb2 as pb

# What a small context has room for; a run's verifier section should say the same.
FEEDBACK_TEMPLATE = "compact"
FEEDBACK_BYTES = 400

Progress = Callable[[int, int, Counter[str]], None]


@dataclass(frozen=True)
class Judged:
    """A draft after the verifier: a row, or why there is none.

    ``digest`` covers the draft's kernels, so that a changed draft is judged again.
    """

    name: str
    digest: str
    row: Row | None
    dropped: str = ""
    verifier_version: str = ""
    target: str = ""


async def build_corpus(
    plan: Plan,
    out: Path,
    verify: Verify,
    *,
    target: pb.Target.ValueType = pb.TARGET_AUTO,
    concurrency: int = 32,
    progress: Progress | None = None,
) -> Corpus:
    """Judge every draft of ``plan`` and write the corpus to ``out``.

    Verdicts are kept in ``out.partial`` as they come: the same call goes on from there
    after an interruption. ``progress`` is told (done, total, counts by fate). A draft is
    dropped and counted whose right kernel does not pass, whose bug passes, or on which
    this verifier can say nothing. Raises `CorpusError` when the verifier is in trouble.
    """
    wanted = drafts(plan)
    partial = out.with_name(out.name + ".partial")
    judged = _read_partial(partial, wanted)
    todo = [draft for draft in wanted if draft.name not in judged]
    slots = asyncio.Semaphore(concurrency)
    with partial.open("a", encoding="utf-8") as stream:

        async def judge_one(draft: Draft) -> None:
            async with slots:
                fate = await _judge(draft, verify, target)
            judged[draft.name] = fate
            _append(stream, fate)
            if progress is not None:
                progress(len(judged), len(wanted), _counts(judged.values()))

        await run_all([judge_one(draft) for draft in todo])
    corpus = _assemble(plan, [judged[draft.name] for draft in wanted])
    write_corpus(out, corpus)
    partial.unlink()
    return corpus


async def run_all(jobs: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Run jobs at once; the first error ends the others and is raised as it is."""
    try:
        async with asyncio.TaskGroup() as group:
            for job in jobs:
                group.create_task(job)
    except BaseExceptionGroup as errors:
        raise errors.exceptions[0] from None


async def _judge(draft: Draft, verify: Verify, target: pb.Target.ValueType) -> Judged:
    sources = (*draft.wrong, draft.right)
    request = verify_request(
        draft.task,
        sources,
        target=target,
        seed=_input_seed(draft),
        feedback=pb.FeedbackOptions(template=FEEDBACK_TEMPLATE, max_bytes=FEEDBACK_BYTES),
    )
    verdicts = (await verify(request)).verdicts
    lost = next((each for each in verdicts if each.outcome not in JUDGED), None)
    if lost is not None and lost.retryable:
        raise CorpusError(f"{draft.name} got no verdict: {code_name(lost)}: {lost.message}")
    attempts = tuple(map(_attempt, sources, verdicts))
    *bugs, right = attempts
    dropped = ""
    if lost is not None:
        dropped = f"no verdict: {code_name(lost)}"
    elif right.outcome != "PASSED":
        dropped = f"solution failed: {right.code}"
    elif any(each.outcome != "FAILED" for each in bugs):
        dropped = "bug passed"
    row = Row(
        name=draft.name,
        task=draft.task.id,
        family=draft.task.family,
        reference=draft.task.reference,
        style=draft.style,
        bugs=draft.bugs,
        attempts=attempts,
    )
    provenance = verdicts[-1].provenance
    return Judged(
        name=draft.name,
        digest=_digest(draft),
        row=None if dropped else row,
        dropped=dropped,
        verifier_version=provenance.verifier_version,
        target=pb.Target.Name(provenance.target).removeprefix("TARGET_").lower(),
    )


JUDGED = (pb.OUTCOME_PASSED, pb.OUTCOME_FAILED)


def _attempt(source: str, verdict: pb.Verdict) -> Attempt:
    passed = verdict.outcome == pb.OUTCOME_PASSED
    return Attempt(
        source=source,
        outcome="PASSED" if passed else "FAILED",
        code="" if passed else code_name(verdict),
        feedback=verdict.feedback,
        source_digest=sha256(source),
        verdict_digest=verdict.content_digest,
    )


def _input_seed(draft: Draft) -> int:
    """A seed of the draft's own: a rebuilt corpus has the same feedback, and rows differ."""
    return int(_digest(draft).removeprefix("sha256:")[:15], 16) or 1


def _digest(draft: Draft) -> str:
    return sha256("\0".join((draft.task.reference, *draft.wrong, draft.right)))


def _assemble(plan: Plan, judged: list[Judged]) -> Corpus:
    rows = tuple(each.row for each in judged if each.row is not None)
    versions = sorted({each.verifier_version for each in judged})
    targets = sorted({each.target for each in judged})
    dropped = _counts(judged)
    del dropped["kept"]
    header = Header(
        verifier_version=", ".join(versions),
        target=", ".join(targets),
        rows=len(rows),
        plan=asdict(plan),
        dropped=dict(sorted(dropped.items())),
    )
    return Corpus(header, rows)


def _counts(judged: Iterable[Judged]) -> Counter[str]:
    return Counter(each.dropped or "kept" for each in judged)


def _append(stream: TextIO, fate: Judged) -> None:
    stream.write(json.dumps(asdict(fate), ensure_ascii=False) + "\n")
    stream.flush()


def _read_partial(path: Path, wanted: list[Draft]) -> dict[str, Judged]:
    """What an interrupted build has already judged, of drafts that have not changed."""
    if not path.is_file():
        return {}
    digests = {draft.name: _digest(draft) for draft in wanted}
    judged: dict[str, Judged] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            fields = json.loads(line)
        except json.JSONDecodeError:
            continue  # the line that the interruption cut
        row = fields.pop("row")
        fate = Judged(row=row_from_json(row) if row else None, **fields)
        if digests.get(fate.name) == fate.digest:
            judged[fate.name] = fate
    return judged
