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
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.judging import FAULTS, TARGETS, Results, Subject, judge, table
from tests.corpus.cases import load
from tests.corpus.programs import generate
from tests.verifying import running_verifier

#: Codes that a GPU cannot report: what it does instead depends on luck.
ONLY_STRICT = {"DATA_RACE", "DIVERGENT_BARRIER"}
KINDS = ("agree", "luck", "too strict", "unsafe", "unsupported", "infrastructure")


def kind(cpu: str, cuda: str, luck: bool) -> str:
    """How the codes of the two targets compare."""
    if cpu == "UNSUPPORTED":
        return "unsupported"
    if FAULTS & {cpu, cuda}:
        return "infrastructure"
    if (cpu == "PASSED") == (cuda == "PASSED"):
        return "agree"
    if cpu == "PASSED":
        return "unsafe"
    return "luck" if luck or cpu in ONLY_STRICT else "too strict"


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
        found.append(Subject(f"random/{seed}", program.task, program.source))
        found.append(Subject(f"random, one line less/{seed}", program.task, wrong, luck=True))
    return found


def compared(found: Sequence[Subject], results: Results) -> tuple[list[str], bool]:
    """Markdown lines, counts by area and whatever differs; whether the cpu target is unsafe."""
    rows, differing = [], []
    for subject in found:
        cpu, cuda = (results.of(subject, target).code for target in ("cpu", "cuda"))
        how = kind(cpu, cuda, subject.luck)
        rows.append((subject.area, how))
        if how not in ("agree", "unsupported"):
            differing.append(f"- {how}: {subject.name}: cpu {cpu}, cuda {cuda}")
    unsafe = any(how == "unsafe" for _, how in rows)
    return [*table(KINDS, rows), "", *differing], unsafe


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
    results = Results(arguments.results)
    served = arguments.targets[0] if len(arguments.targets) == 1 else "auto"
    taken = []
    with running_verifier("--target", served) as verifier:
        for target in arguments.targets:
            seconds = asyncio.run(
                judge(verifier.address, found, target, target, results, arguments.jobs, 120)
            )
            taken.append(f"{target} {seconds:.0f} s")
    unsafe = False
    if set(arguments.targets) == set(TARGETS):
        lines, unsafe = compared(found, results)
        print("\n".join(lines))
    else:
        counts = Counter(results.of(subject, served).code for subject in found)
        print("\n".join(f"{name}: {count}" for name, count in counts.most_common()))
    print(f"\n{len(found)} submissions; this run: {', '.join(taken)}.")
    return int(unsafe)


if __name__ == "__main__":
    sys.exit(main())
