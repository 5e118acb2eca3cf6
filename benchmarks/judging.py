"""What the benchmarks share: submissions, a running verifier's verdicts, a file that keeps them."""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import Progress

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from protos.leap.verifier.v1 import verifier_pb2 as pb
from protos.leap.verifier.v1.client import VerifierClient
from tests.verifying import code, request

TARGETS = {"cpu": pb.TARGET_CPU, "cuda": pb.TARGET_CUDA}
#: Codes that say nothing about a submission.
FAULTS = {"INTERNAL", "WORKER_LOST"}


@dataclass(frozen=True)
class Subject:
    """One submission. `luck`: a GPU may pass it although it is wrong."""

    name: str
    task: pb.Task
    source: str
    luck: bool = False

    @property
    def area(self) -> str:
        return self.name.split("/")[0]

    def digest(self) -> str:
        """Of what is judged, so that an older text's verdict is not taken for this one's."""
        content = self.task.SerializeToString(deterministic=True) + self.source.encode()
        return hashlib.sha256(content).hexdigest()


@dataclass(frozen=True)
class Kept:
    """What is kept of a verdict; `road`: the headers that it was built with."""

    code: str
    road: str
    message: str


class Results:
    """Verdicts in a file, one a line, written at once: a run goes on where the last one stopped.

    A verdict is of a submission's text and a `column`, the way in which it was judged.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._kept: dict[tuple[str, str], Kept] = {}
        for line in path.read_text().splitlines() if path.exists() else ():
            entry = json.loads(line)
            kept = Kept(entry["code"], entry["road"], entry["message"])
            if kept.code not in FAULTS:  # faults of ours are judged again
                self._kept[entry["digest"], entry["column"]] = kept

    def of(self, subject: Subject, column: str) -> Kept:
        """The verdict; KeyError: there is none yet."""
        return self._kept[subject.digest(), column]

    def missing(self, found: Sequence[Subject], column: str) -> list[Subject]:
        """The submissions without a verdict."""
        return [subject for subject in found if (subject.digest(), column) not in self._kept]

    def add(self, subject: Subject, column: str, verdict: pb.Verdict) -> None:
        """Keeps a verdict."""
        kept = Kept(code(verdict), verdict.build_road, verdict.message[:300])
        self._kept[subject.digest(), column] = kept
        entry = {"name": subject.name, "digest": subject.digest(), "column": column}
        with self._path.open("a") as log:
            log.write(json.dumps({**entry, **vars(kept)}) + "\n")


async def judge(
    address: str,
    found: Sequence[Subject],
    column: str,
    target: str,
    results: Results,
    jobs: int,
    timeout: float,
) -> float:
    """Adds the verdicts that `results` lacks, `jobs` requests in flight; the seconds it took."""
    missing = results.missing(found, column)
    slots = asyncio.Semaphore(jobs)
    start = time.perf_counter()
    with Progress(console=Console(stderr=True)) as progress:
        bar = progress.add_task(column, total=len(missing))
        async with VerifierClient(address) as client:

            async def one(subject: Subject) -> None:
                async with slots:
                    sent = request(
                        subject.source, task=subject.task, target=TARGETS[target], timeout=timeout
                    )
                    results.add(subject, column, (await client.verify(sent)).verdicts[0])
                progress.advance(bar)

            await asyncio.gather(*(one(subject) for subject in missing))
    return time.perf_counter() - start


def table(columns: Sequence[str], rows: Sequence[tuple[str, str]]) -> list[str]:
    """Markdown lines: how many rows (area, column) there are of each, by area and in all."""
    areas = [*dict.fromkeys(area for area, _ in rows), "all"]
    lines = ["| area | cases | " + " | ".join(columns) + " |", "|---" * (len(columns) + 2) + "|"]
    for area in areas:
        kinds = [kind for row_area, kind in rows if area in (row_area, "all")]
        counts = [kinds.count(column) for column in columns]
        lines.append(f"| {area} | {len(kinds)} | " + " | ".join(map(str, counts)) + " |")
    return lines
