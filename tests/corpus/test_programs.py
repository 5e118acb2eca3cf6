"""Random kernels: the emulator computes what torch computes, and refuses what is unsafe."""

from __future__ import annotations

import random

import pytest

from tests.corpus.programs import generate
from tests.verifying import Verifier, code

REFUSED = {"DATA_RACE", "ILLEGAL_MEMORY_ACCESS"}


@pytest.mark.parametrize(
    "seed",
    [*range(25), *(pytest.param(s, marks=pytest.mark.exhaustive) for s in range(25, 1000))],
)
def test_program(seed: int, verifier: Verifier) -> None:
    program = generate(seed)
    verdict = verifier.verdict(program.source, task=program.task, timeout=60.0)
    assert code(verdict) == "PASSED", f"{verdict}\n{program.source}\n{program.task.reference}"
    wrong = random.Random(seed).choice(program.wrong)
    verdict = verifier.verdict(wrong, task=program.task, timeout=60.0)
    assert code(verdict) in REFUSED, f"{verdict}\n{wrong}"
