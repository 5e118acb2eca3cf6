"""Whether the cpu target says what a GPU says: the corpus and random programs on both.

    python benchmarks/agreement.py --programs 1000 --results agreement.jsonl

Starts one verifier that serves both targets, so it needs an NVIDIA GPU and nvcc;
`--targets cpu` runs the cpu target alone. Every verdict goes to the results file at
once: the same command goes on where the last one stopped. Prints a table by area and
every case in which the targets differ. Exit code 1 if the cpu target passes what the
GPU fails.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.progress import Progress, TaskID

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from protos.leap.verifier.v1 import verifier_pb2 as pb
from protos.leap.verifier.v1.client import VerifierClient
from tests.corpus.cases import load
from tests.corpus.programs import generate
from tests.verifying import code, request, running_verifier

TARGETS = {"cpu": pb.TARGET_CPU, "cuda": pb.TARGET_CUDA}
#: Codes that a GPU cannot report: what it does instead depends on luck.
ONLY_STRICT = {"DATA_RACE", "DIVERGENT_BARRIER"}
#: Codes that say nothing about a submission.
FAULTS = {"INTERNAL", "WORKER_LOST"}


@dataclass(frozen=True)
class Subject:
    """One submission. `luck`: a GPU may pass it although it is wrong."""

    name: str
    task: pb.Task
    source: str
    luck: bool

    def digest(self) -> str:
        """Of what is judged, so that an older text's verdict is not taken for this one's."""
        content = self.task.SerializeToString(deterministic=True) + self.source.encode()
        return hashlib.sha256(content).hexdigest()


@dataclass
class Row:
    """What each target says of one submission, by name of the target."""

    name: str
    luck: bool
    codes: dict[str, str]

    @property
    def area(self) -> str:
        return self.name.split("/")[0]

    def kind(self) -> str:
        """How the two targets compare."""
        cpu, cuda = self.codes["cpu"], self.codes["cuda"]
        if cpu == "UNSUPPORTED":
            return "unsupported"
        if FAULTS & {cpu, cuda}:
            return "infrastructure"
        if (cpu == "PASSED") == (cuda == "PASSED"):
            return "agree"
        if cpu == "PASSED":
            return "unsafe"
        return "luck" if self.luck or cpu in ONLY_STRICT else "too strict"


KINDS = ("agree", "luck", "too strict", "unsafe", "unsupported", "infrastructure")


def subjects(programs: int) -> list[Subject]:
    """The corpus, then `programs` random programs with one wrong variant each."""
    found = [
        Subject(case.name, case.task, case.source, case.gpu_may_pass)
        for case in load()
        if case.code != "TIMEOUT"
    ]
    for seed in range(programs):
        program = generate(seed)
        wrong = program.wrong[seed % len(program.wrong)]
        found.append(Subject(f"random/{seed}", program.task, program.source, False))
        found.append(Subject(f"random, one line less/{seed}", program.task, wrong, True))
    return found


def resume(found: Sequence[Subject], rows: Sequence[Row], results: Path) -> None:
    """Fills in the verdicts that `results` holds of the same texts, but faults of ours."""
    by_digest = {subject.digest(): row for subject, row in zip(found, rows, strict=True)}
    for line in results.read_text().splitlines() if results.exists() else ():
        kept = json.loads(line)
        row = by_digest.get(kept["digest"])
        if row and kept["code"] not in FAULTS:
            row.codes[kept["target"]] = kept["code"]


async def judge(
    address: str,
    found: Sequence[Subject],
    rows: Sequence[Row],
    targets: Sequence[str],
    jobs: int,
    results: Path,
) -> dict[str, float]:
    """Adds the verdicts that `rows` lack, to `results` too; the seconds of each target."""
    seconds = {}
    slots = asyncio.Semaphore(jobs)
    with results.open("a", buffering=1) as log, Progress(console=Console(stderr=True)) as progress:
        async with VerifierClient(address) as client:
            for target in targets:
                missing = [
                    (subject, row)
                    for subject, row in zip(found, rows, strict=True)
                    if target not in row.codes
                ]
                bar = progress.add_task(target, total=len(missing))

                async def one(subject: Subject, row: Row, target: str, bar: TaskID) -> None:
                    async with slots:
                        sent = request(
                            subject.source, task=subject.task, target=TARGETS[target], timeout=120
                        )
                        verdict = (await client.verify(sent)).verdicts[0]
                    row.codes[target] = code(verdict)
                    entry = {
                        "name": row.name,
                        "digest": subject.digest(),
                        "target": target,
                        "code": row.codes[target],
                        "message": verdict.message[:300],
                    }
                    log.write(json.dumps(entry) + "\n")
                    progress.advance(bar)

                start = time.perf_counter()
                await asyncio.gather(*(one(*pair, target, bar) for pair in missing))
                seconds[target] = time.perf_counter() - start
    return seconds


def report(rows: Sequence[Row], seconds: dict[str, float]) -> str:
    """Markdown: counts by area, then whatever differs."""
    lines = ["| area | cases | " + " | ".join(KINDS) + " |", "|---" * (len(KINDS) + 2) + "|"]
    kinds = Counter((row.area, row.kind()) for row in rows)
    for area in [*dict.fromkeys(row.area for row in rows), "all"]:
        counts = [
            sum(n for (a, k), n in kinds.items() if k == kind and area in (a, "all"))
            for kind in KINDS
        ]
        lines.append(f"| {area} | {sum(counts)} | " + " | ".join(map(str, counts)) + " |")
    lines.append("")
    for row in rows:
        if row.kind() not in ("agree", "unsupported"):
            lines.append(
                f"- {row.kind()}: {row.name}: cpu {row.codes['cpu']}, cuda {row.codes['cuda']}"
            )
    taken = ", ".join(f"{target} {value:.0f} s" for target, value in seconds.items())
    return "\n".join([*lines, "", f"{len(rows)} submissions; this run: {taken}."])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=0, help="random programs to add")
    parser.add_argument("--targets", nargs="+", choices=TARGETS, default=["cpu", "cuda"])
    parser.add_argument("--jobs", type=int, default=32, help="requests in flight")
    parser.add_argument(
        "--results", type=Path, default=Path("agreement.jsonl"), help="verdicts, one a line"
    )
    arguments = parser.parse_args()
    found = subjects(arguments.programs)
    rows = [Row(subject.name, subject.luck, {}) for subject in found]
    resume(found, rows, arguments.results)
    served = arguments.targets[0] if len(arguments.targets) == 1 else "auto"
    with running_verifier("--target", served) as verifier:
        seconds = asyncio.run(
            judge(
                verifier.address,
                found,
                rows,
                arguments.targets,
                arguments.jobs,
                arguments.results,
            )
        )
    if set(arguments.targets) != set(TARGETS):
        counts = Counter(next(iter(row.codes.values())) for row in rows)
        print("\n".join(f"{name}: {count}" for name, count in counts.most_common()))
        print(f"{len(rows)} submissions in {sum(seconds.values()):.0f} s")
        return 0
    print(report(rows, seconds))
    return any(row.kind() == "unsafe" for row in rows)


if __name__ == "__main__":
    sys.exit(main())
