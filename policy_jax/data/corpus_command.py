"""`leap corpus`: build a corpus with a verifier, showing how far it is."""

from __future__ import annotations

import asyncio
import os
from collections import Counter
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
    local = None if verifier else LocalVerifier(target, None, out.with_name(out.name + ".log"))
    try:
        if local is not None:
            local.start()
        corpus = asyncio.run(_build(plan, out, verifier or local.address, TARGETS[target]))  # type: ignore[union-attr]
    except (VerifierUnavailable, VerifierRefused) as error:
        raise LeapError(f"{error}; verdicts so far are kept, the same command goes on") from None
    finally:
        if local is not None:
            local.stop()
    _report(out, corpus)


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
