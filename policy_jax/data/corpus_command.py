"""`leap corpus`: build a corpus with a verifier, showing how far it is."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from policy_jax.data.corpus import Corpus
from policy_jax.data.corpus_build import build_corpus
from policy_jax.data.corpus_plan import Plan
from policy_jax.errors import LeapError
from policy_jax.rollout.local_verifier import LocalVerifier
from protos.leap.verifier.v1 import verifier_pb2 as pb
from protos.leap.verifier.v1.client import VerifierClient, VerifierRefused, VerifierUnavailable

TARGETS = {"auto": pb.TARGET_AUTO, "cpu": pb.TARGET_CPU, "cuda": pb.TARGET_CUDA}


def run(out: Path, verifier: str | None, target: str, rows: int | None, seed: int) -> None:
    """Build the corpus at ``out``; ``verifier`` is HOST:PORT, None starts one here.

    An interrupted build goes on from its verdicts when it is called again. Raises
    `LeapError`.
    """
    if target not in TARGETS:
        raise LeapError(f"target is one of {', '.join(TARGETS)}, not {target!r}")
    if not out.parent.is_dir():
        raise LeapError(f"there is no folder {out.parent} to write {out.name} into")
    plan = Plan(rows=rows, seed=seed)
    try:
        with _address(verifier, target, out.with_name(out.name + ".log")) as address:
            corpus = asyncio.run(_build(plan, out, address, TARGETS[target]))
    except (VerifierUnavailable, VerifierRefused) as error:
        raise LeapError(f"{error}; verdicts so far are kept, the same command goes on") from None
    _report(out, corpus)


@contextmanager
def _address(verifier: str | None, target: str, log_path: Path) -> Iterator[str]:
    """The given address, or that of a verifier which lives as long as the block."""
    if verifier is not None:
        yield verifier
        return
    local = LocalVerifier(target, None, log_path)
    local.start()
    try:
        yield local.address
    finally:
        local.stop()


async def _build(plan: Plan, out: Path, address: str, target: pb.Target.ValueType) -> Corpus:
    columns = (
        TextColumn("verifying"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
    )
    token = os.environ.get("LEAP_VERIFIER_TOKEN")
    async with VerifierClient(address, token=token, client_id="leap-corpus") as client:
        with Progress(*columns, console=Console(stderr=True)) as display:
            bar = display.add_task("", total=None)

            def show(done: int, total: int, counts: Counter[str]) -> None:
                dropped = sum(counts.values()) - counts["kept"]
                text = f"{counts['kept']} kept, {dropped} dropped"
                display.update(bar, completed=done, total=total, description=text)

            return await build_corpus(plan, out, client.verify, target=target, progress=show)


def _report(out: Path, corpus: Corpus) -> None:
    repairs = sum(len(row.attempts) > 1 for row in corpus.rows)
    print(f"{len(corpus.rows)} dialogues written to {out}, {repairs} of them repairs")
    for reason, count in corpus.header.dropped.items():
        print(f"{count} dropped: {reason}")
