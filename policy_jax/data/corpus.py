"""The cold-start corpus: kernels with the verdicts that a verifier gave on them.

A file of gzipped JSON lines: a header, then one row a dialogue, which holds the task's
text and every kernel in order with its verdict. Prompts are written when the corpus is
read, so that their templates may change without verifying anything again.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict, dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any

from policy_jax.data.corpus_plan import dialogue
from policy_jax.data.dialogues import Dialogue
from policy_jax.data.tasks import Task
from policy_jax.errors import LeapError
from protos.leap.verifier.v1 import verifier_pb2 as pb

FORMAT = "leap-corpus/1"
BUILT_IN = "leap-micro"

Verify = Callable[[pb.VerifyRequest], Awaitable[pb.VerifyResponse]]


class CorpusError(LeapError):
    """A corpus that cannot be used; the message is one sentence for a person."""


@dataclass(frozen=True)
class Attempt:
    """One kernel of a dialogue and what the verifier said.

    ``outcome`` is PASSED or FAILED, ``code`` the failure's code without ``CODE_``,
    ``verdict_digest`` the verdict's own digest over everything that determines it.
    """

    source: str
    outcome: str
    code: str
    feedback: str
    source_digest: str
    verdict_digest: str


@dataclass(frozen=True)
class Row:
    """One dialogue: every attempt but the last failed, the last passed."""

    name: str
    task: str
    family: str
    reference: str
    style: str
    bugs: tuple[str, ...]
    attempts: tuple[Attempt, ...]

    def dialogue(self) -> Dialogue:
        """As a chat in today's templates."""
        task = Task(self.task, self.reference, family=self.family)
        feedback = [each.feedback for each in self.attempts[:-1]]
        return dialogue(task, [each.source for each in self.attempts], feedback)


@dataclass(frozen=True)
class Header:
    """Where the corpus comes from. ``dropped`` counts drafts by why they are not in it."""

    verifier_version: str
    target: str
    rows: int
    plan: dict[str, Any] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)
    format: str = FORMAT


@dataclass(frozen=True)
class Corpus:
    """A header and its rows."""

    header: Header
    rows: tuple[Row, ...]

    def dialogues(self) -> list[Dialogue]:
        """Every row as a chat, in the file's order."""
        return [row.dialogue() for row in self.rows]

    def texts(self) -> list[str]:
        """Every message's text, for training a tokenizer."""
        return [each["content"] for chat in self.dialogues() for each in chat.messages]


def sha256(text: str) -> str:
    """``sha256:<hex>`` of text in UTF-8."""
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def built_in_path() -> Path:
    """The committed corpus."""
    return Path(str(files("policy_jax.data") / "cold_start.jsonl.gz"))


def write_corpus(path: Path, corpus: Corpus) -> None:
    """Write a corpus; the same corpus always gives the same bytes."""
    lines = [asdict(corpus.header), *map(asdict, corpus.rows)]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    path.write_bytes(gzip.compress(text.encode(), mtime=0))


def load_corpus(source: str | Path = BUILT_IN) -> Corpus:
    """Read and check a corpus: ``leap-micro`` (the committed one) or a file.

    Raises `CorpusError`.
    """
    path = built_in_path() if str(source) == BUILT_IN else Path(source)
    if not path.is_file():
        raise CorpusError(f"no corpus at {path}: build one with `leap corpus --out {path}`")
    try:
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            header, *rows = (json.loads(line) for line in stream)
        corpus = Corpus(Header(**header), tuple(row_from_json(row) for row in rows))
    except (OSError, EOFError, ValueError, TypeError, KeyError) as error:
        raise CorpusError(f"{path} is not a corpus of LEAP: {error}") from None
    _check(corpus, path)
    return corpus


def row_from_json(row: dict[str, Any]) -> Row:
    """A row as `write_corpus` wrote it."""
    attempts = tuple(Attempt(**each) for each in row["attempts"])
    return Row(**{**row, "bugs": tuple(row["bugs"]), "attempts": attempts})


def _check(corpus: Corpus, path: Path) -> None:
    if corpus.header.format != FORMAT:
        raise CorpusError(f"{path} has format {corpus.header.format}; this LEAP reads {FORMAT}")
    if corpus.header.rows != len(corpus.rows):
        raise CorpusError(f"{path} is cut: {len(corpus.rows)} of {corpus.header.rows} rows")
    for row in corpus.rows:
        outcomes = [each.outcome for each in row.attempts]
        if outcomes != ["FAILED"] * (len(outcomes) - 1) + ["PASSED"]:
            raise CorpusError(f"{path}: {row.name} has outcomes {outcomes}, not FAILED … PASSED")
        if any(sha256(each.source) != each.source_digest for each in row.attempts):
            raise CorpusError(f"{path}: a kernel of {row.name} is not the one that was verified")


def verify_request(task: Task, sources: Sequence[str], **fields: Any) -> pb.VerifyRequest:
    """A request for the verdicts on CUDA sources for one task."""
    cuda = pb.SUBMISSION_FORMAT_CUDA
    return pb.VerifyRequest(
        client_id="leap-corpus",
        task=pb.Task(id=task.id, reference=task.reference, digest=task.digest),
        submissions=[pb.Submission(format=cuda, source=source) for source in sources],
        **fields,
    )


async def reverify(
    corpus: Corpus,
    verify: Verify,
    *,
    sample: int = 64,
    seed: int = 0,
    target: pb.Target.ValueType = pb.TARGET_AUTO,
    concurrency: int = 32,
) -> int:
    """Have random rows' right kernels judged again; returns how many were.

    ``verify`` is a client's method. The server draws new inputs, so a kernel that
    passed by luck would show. Raises `CorpusError` if one does not pass.
    """
    rng = random.Random(seed)
    rows = rng.sample(corpus.rows, min(sample, len(corpus.rows)))
    slots = asyncio.Semaphore(concurrency)

    async def judge(row: Row) -> pb.Verdict:
        request = verify_request(
            Task(row.task, row.reference), [row.attempts[-1].source], target=target
        )
        async with slots:
            return (await verify(request)).verdicts[0]

    verdicts = await asyncio.gather(*map(judge, rows))
    for row, verdict in zip(rows, verdicts, strict=True):
        if verdict.outcome != pb.OUTCOME_PASSED:
            raise CorpusError(
                f"the corpus says that {row.name} passes, this verifier says "
                f"{code_name(verdict)}: {verdict.message}"
            )
    return len(rows)


def code_name(verdict: pb.Verdict) -> str:
    """The verdict's code without its prefix, or PASSED."""
    if verdict.outcome == pb.OUTCOME_PASSED:
        return "PASSED"
    return pb.Code.Name(verdict.code).removeprefix("CODE_")
