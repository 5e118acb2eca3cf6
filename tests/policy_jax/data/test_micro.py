"""The suite's shape, and that its references cannot be met without computing."""

from __future__ import annotations

import ast
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from policy_jax.data.corpus import load_corpus
from policy_jax.data.leakage import gives_away
from policy_jax.data.micro import FAMILIES, MicroTask, export, open_practice, practice, suite
from policy_jax.data.micro.operators import BINARY, UNARY
from policy_jax.data.micro.suite import PLAN, neighbours, reserved_pairs
from policy_jax.data.tasks import load_tasks

TRAIN = [each for each in suite() if each.task.split == "train"]
HELDOUT = [each for each in suite() if each.task.split == "heldout"]


def count(feature: str) -> int:
    return sum(feature in each.family.features for each in suite())


def test_size_and_balance() -> None:
    assert len(suite()) >= 160 and len(TRAIN) >= 130 and len(HELDOUT) >= 24
    families = Counter(each.task.family for each in suite())
    assert len(families) >= 16 and set(families) == set(FAMILIES) == set(PLAN)
    assert max(families.values()) <= 0.1 * len(suite())
    assert {each.task.level for each in suite()} == {1, 2, 3}
    assert 0.4 < sum(each.cold_start for each in TRAIN) / len(TRAIN) < 0.6
    assert not any(each.cold_start for each in HELDOUT)


def test_kinds_of_kernels() -> None:
    assert count("shared") >= 12
    assert count("atomics") + count("shuffle") >= 6
    assert count("two_inputs") + count("two_outputs") >= 6


@pytest.mark.parametrize(
    ("feature", "words"),
    [
        ("shared", ("__shared__", "__syncthreads()")),
        ("atomics", ("atomicAdd",)),
        ("shuffle", ("__shfl_",)),
        ("two_outputs", ("std::vector<torch::Tensor>",)),
    ],
)
def test_features_are_in_the_solutions(feature: str, words: tuple[str, ...]) -> None:
    for each in suite():
        expected = feature in each.family.features
        assert all((word in each.solution()) == expected for word in words), each.task.id


def test_names_and_texts_are_distinct() -> None:
    known = (*suite(), *practice(300))
    assert len({each.task.id for each in known}) == len(known)
    assert len({each.task.reference for each in suite()}) == len(suite())
    assert len({each.solution() for each in suite()}) == len(suite())


def test_heldout_combinations_are_never_trained_on() -> None:
    trained = [each.combo for each in (*TRAIN, *practice(300))]
    whole = {name for name, (train, _) in PLAN.items() if train == 0}
    assert len(whole) == 3
    assert not whole & {combo.family for combo in trained}
    for each in HELDOUT:
        assert each.task.family in whole or neighbours(each.combo) <= reserved_pairs()
        assert each.task.family in whole or neighbours(each.combo)
    for combo in trained:
        assert not neighbours(combo) & reserved_pairs(), combo.key


def test_practice_is_new_and_repeatable() -> None:
    found = practice(200)
    assert [each.task for each in found] == [each.task for each in practice(200)]
    assert [each.task.id for each in found[:50]] == [each.task.id for each in practice(50)]
    keys = {each.combo.key for each in found}
    assert len(keys) == 200 and not keys & {each.combo.key for each in suite()}


def test_open_practice_is_neither_shown_nor_held_out() -> None:
    tasks = [each.task for each in open_practice()]
    assert len(tasks) > 3000
    assert load_tasks("leap-micro+practice") == [*load_tasks("leap-micro"), *tasks]
    assert not {task.id for task in tasks} & {row.task for row in load_corpus().rows}
    for each in open_practice():
        assert each.task.split == "train" and not each.cold_start
        assert not neighbours(each.combo) & reserved_pairs(), each.combo.key
        assert not gives_away(each.solution()), each.combo.key


def test_every_operator_is_one_line_and_trained() -> None:
    used = Counter(name for each in TRAIN for name in (*each.combo.before, *each.combo.after))
    assert set(used) == set(UNARY) | set(BINARY)
    for operator in (*UNARY.values(), *BINARY.values()):
        assert operator.cuda.endswith(";") and "\n" not in operator.cuda + operator.torch
        ast.parse(operator.torch)


def run(micro: MicroTask) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    scope: dict[str, object] = {}
    exec(micro.task.reference, scope)
    torch.manual_seed(0)
    inputs = scope["get_inputs"]()  # type: ignore[operator]
    out = scope["Model"](*scope["get_init_inputs"]())(*inputs)  # type: ignore[operator]
    return inputs, list(out) if isinstance(out, tuple) else [out]


@pytest.fixture(scope="module")
def outputs() -> dict[str, tuple[list[torch.Tensor], list[torch.Tensor]]]:
    return {each.task.id: run(each) for each in suite()}


def differs(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether a good share of elements is apart by far more than any tolerance."""
    if a.shape != b.shape:
        return True
    apart = (a - b).abs() > 1e-4 + 0.01 * a.abs().median()
    return bool(apart.float().mean() > 0.02)


def test_inputs_are_small_and_awkward(outputs) -> None:  # type: ignore[no-untyped-def]
    for name, (inputs, results) in outputs.items():
        assert sum(each.numel() for each in inputs) <= 8192, name
        assert all(each.numel() <= 4096 and each.isfinite().all() for each in results), name
    sizes = [results[0].numel() for _, results in outputs.values()]
    assert sum(size % 32 != 0 for size in sizes) > 0.8 * len(sizes)


def test_no_output_is_zero_constant_or_an_input(outputs) -> None:  # type: ignore[no-untyped-def]
    for name, (inputs, results) in outputs.items():
        last = results[-1]
        assert differs(last, torch.zeros_like(last)), name
        if last.numel() > 1:
            assert last.std() > 1e-4 and differs(last, last.mean().expand_as(last)), name
        assert all(differs(last, each) for each in inputs), name


def test_no_neighbour_gives_the_same_output(outputs) -> None:  # type: ignore[no-untyped-def]
    for one, other in pairwise(suite()):
        for a, b in zip(outputs[one.task.id][1], outputs[other.task.id][1], strict=False):
            same_inputs = [x.shape for x in outputs[one.task.id][0]] == [
                x.shape for x in outputs[other.task.id][0]
            ]
            assert not same_inputs or differs(a, b) or len(outputs[one.task.id][1]) == 2


def test_timing_inputs_are_larger() -> None:
    for name in FAMILIES:
        micro = next(each for each in suite() if each.task.family == name)
        tree = ast.parse(micro.task.reference)
        texts = {f.name: ast.unparse(f) for f in tree.body if isinstance(f, ast.FunctionDef)}
        numbers = {
            key: max(n.value for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Constant))
            for key, text in texts.items()
            if key != "get_init_inputs"
        }
        assert numbers["get_timing_inputs"] > numbers["get_inputs"], name


def test_export_reads_back(tmp_path: Path) -> None:
    assert export(tmp_path) == len(suite())
    solutions = list((tmp_path / "solutions").rglob("*.cu"))
    assert len(solutions) == len(suite())
    tasks = load_tasks(tmp_path)
    assert {(t.reference, t.split, t.family) for t in tasks} == {
        (each.task.reference, each.task.split, each.task.family) for each in suite()
    }
