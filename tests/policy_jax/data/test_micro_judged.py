"""The verifier's own judge on the suite's references: what must never pass does not.

Zeros, an input, and the outputs of every other task of the family are compared under
the tolerance that the judge derives, without compiling anything.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest
import torch

from policy_jax.data.micro import MicroTask, suite
from verifier_gpu.judge.reference import Job, prepare
from verifier_gpu.judge.tolerance import Tolerance, accepts
from verifier_gpu.runner.tensors import Writer, flatten, read


@dataclass(frozen=True)
class Judged:
    inputs: list[torch.Tensor]
    expected: list[tuple[torch.Tensor, Tolerance]]
    notes: list[str]

    def accepts(self, outputs: list[torch.Tensor]) -> bool:
        return len(outputs) == len(self.expected) and all(
            output.shape == values.shape and accepts(allowed, values, output)
            for output, (values, allowed) in zip(outputs, self.expected, strict=True)
        )

    @property
    def values(self) -> list[torch.Tensor]:
        return [values for values, _ in self.expected]


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Judged]:
    folder = tmp_path_factory.mktemp("judged")
    return {each.task.id: judge(each, folder) for each in suite()}


@cache
def judge(micro: MicroTask, folder: Path) -> Judged:
    job = Job(micro.task.reference, "get_inputs", "get_init_inputs", seed=1, draws=1, device="cpu")
    with (folder / "public").open("w+b") as public, (folder / "secret").open("w+b") as secret:
        answer = prepare(job, Writer(public.fileno()), Writer(secret.fileno()))
        inputs = flatten(read(public.fileno(), answer["inputs"][0]))
        expected = [
            (read(secret.fileno(), each["values"]), Tolerance(each["absolute"], each["relative"]))
            for each in answer["expected"][0]
        ]
    return Judged(
        [each for each in inputs if isinstance(each, torch.Tensor)], expected, answer["notes"]
    )


def test_the_judge_finds_no_task_weak(judged: dict[str, Judged]) -> None:
    assert {name: each.notes for name, each in judged.items() if each.notes} == {}


def test_tolerances_are_tight(judged: dict[str, Judged]) -> None:
    loose = {
        name: allowed
        for name, each in judged.items()
        for _, allowed in each.expected
        if allowed.relative > 5e-4
    }
    assert loose == {}


def test_zeros_and_inputs_are_refused(judged: dict[str, Judged]) -> None:
    for name, each in judged.items():
        assert not each.accepts([torch.zeros_like(values) for values in each.values]), name
        for given in each.inputs:
            assert not each.accepts([given.double() for _ in each.values]), name


def test_no_other_task_of_a_family_gives_the_answer(judged: dict[str, Judged]) -> None:
    for _, group in groupby(suite(), key=lambda micro: (micro.task.split, micro.task.family)):
        names = [micro.task.id for micro in group]
        for one in names:
            for other in names:
                same = judged[one].inputs[0].equal(judged[other].inputs[0])
                if one != other and same:
                    assert not judged[one].accepts(judged[other].values), (one, other)
