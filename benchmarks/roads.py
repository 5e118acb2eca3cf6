"""Whether both roads of a build, our slim headers and torch's own, end in the same verdict.

    python benchmarks/roads.py --results roads.jsonl

Judges every source of the corpus that must be right twice: as a verifier builds by
itself, and with `--builder torch`. Prints by area how many took the slim road, how many
needed torch's headers, and where the two verdicts differ. The torch road is of the cuda
target alone, so this needs an NVIDIA GPU, nvcc and a torch with CUDA; `--target cpu`
only shows which sources the slim headers can build: the others are UNSUPPORTED there.
Every verdict goes to the results file at once: the same command goes on where the last
one stopped. Exit code 1 on a difference.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.judging import FAULTS, TARGETS, Kept, Results, Subject, judge, table
from tests.corpus.cases import load
from tests.verifying import running_verifier

KINDS = ("slim", "torch", "differ", "unsupported", "infrastructure")


def subjects() -> list[Subject]:
    """The sources as they stand; what the cpu target cannot build is here, too."""
    return [
        Subject(case.name, case.task, case.source)
        for case in load()
        if ":" not in case.name and case.code in ("PASSED", "UNSUPPORTED")
    ]


def kind(auto: Kept, torch: Kept | None) -> str:
    """The road that a source took by itself, or how its two verdicts are no proof.

    `torch` is its verdict with torch's headers; None: the target has no such road.
    """
    if FAULTS & {auto.code, torch.code if torch else ""}:
        return "infrastructure"
    if torch is not None and torch.code != auto.code:
        return "differ"
    return "unsupported" if auto.code == "UNSUPPORTED" else auto.road


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--target", choices=TARGETS, default="cuda")
    parser.add_argument("--jobs", type=int, default=32, help="requests in flight")
    parser.add_argument(
        "--results", type=Path, default=Path("roads.jsonl"), help="verdicts, one a line"
    )
    arguments = parser.parse_args()
    found = subjects()
    results = Results(arguments.results)
    builders = ("auto", "torch") if arguments.target == "cuda" else ("auto",)
    taken = []
    for builder in builders:
        column = f"{arguments.target} {builder}"
        with running_verifier("--target", arguments.target, "--builder", builder) as verifier:
            seconds = asyncio.run(
                judge(
                    verifier.address, found, column, arguments.target, results, arguments.jobs, 600
                )
            )
        taken.append(f"{builder} {seconds:.0f} s")
    rows, others = [], []
    for subject in found:
        verdicts = [results.of(subject, f"{arguments.target} {builder}") for builder in builders]
        how = kind(verdicts[0], verdicts[1] if len(verdicts) > 1 else None)
        rows.append((subject.area, how))
        if how != "slim":
            codes = ", ".join(f"{b} {v.code}" for b, v in zip(builders, verdicts, strict=True))
            others.append(f"- {how}: {subject.name}: {codes}: {verdicts[0].message}")
    print("\n".join([*table(KINDS, rows), "", *others]))
    share = sum(how == "slim" for _, how in rows) / len(rows)
    print(f"\n{share:.1%} took the slim road; this run: {', '.join(taken)}.")
    return int(any(how == "differ" for _, how in rows))


if __name__ == "__main__":
    sys.exit(main())
