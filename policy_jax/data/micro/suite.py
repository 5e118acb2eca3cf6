"""leap-micro: which combinations are tasks, and which of them are held out.

Held-out means combinations of operators that no training task and no line of the
corpus has: an ordered pair of neighbouring operators that occurs in a held-out chain
occurs in no other chain, in any family, and three families are held out as a whole.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import cycle, pairwise
from pathlib import Path

import numpy as np

from policy_jax.data.micro import elementwise, layout, products, rows
from policy_jax.data.micro.family import Combo, Family
from policy_jax.data.micro.operators import UNARY, Array, apply
from policy_jax.data.tasks import InputSet, Task

FAMILIES = {
    family.name: family
    for module in (elementwise, rows, layout, products)
    for family in module.FAMILIES
}

# family: (training tasks, held-out tasks)
PLAN = {
    "unary": (12, 0),
    "chain": (16, 5),
    "pair": (6, 0),
    "pair_chain": (12, 4),
    "residual": (6, 1),
    "two_outputs": (6, 1),
    "broadcast": (8, 1),
    "outer": (5, 1),
    "gather": (4, 0),
    "scatter": (5, 0),
    "total": (5, 0),
    "pair_total": (4, 0),
    "reduce": (5, 0),
    "map_reduce": (9, 3),
    "reduce_map": (6, 0),
    "map_reduce_map": (0, 3),
    "pair_reduce": (0, 2),
    "softmax": (5, 1),
    "pair_softmax": (5, 0),
    "pair_norm": (5, 0),
    "row_scale": (6, 0),
    "layer_norm": (5, 0),
    "transpose": (6, 1),
    "pair_transpose": (0, 2),
    "column_reduce": (8, 2),
    "pair_column_reduce": (5, 0),
    "scan": (5, 0),
    "pair_scan": (4, 0),
    "rearrange": (5, 0),
    "window": (5, 0),
    "glu": (4, 0),
    "convolution": (4, 0),
    "matmul": (5, 1),
    "matvec": (5, 0),
    "mlp": (4, 0),
    "attention": (4, 0),
}


# Of `practice`, what the cold-start corpus may show. The rest has no written solution.
SHOWN_PRACTICE = 600
_ALL_PRACTICE = 10**6  # more than there are


@dataclass(frozen=True)
class MicroTask:
    """A task of the suite with what made it.

    ``cold_start`` says whether the corpus may show it; the other training tasks are
    new to the policy when reinforcement learning begins.
    """

    task: Task
    combo: Combo
    cold_start: bool

    @property
    def family(self) -> Family:
        """The structure."""
        return FAMILIES[self.combo.family]

    def solution(self) -> str:
        """The hand-checked CUDA solution, in the plain style."""
        return self.family.source(self.combo)


def export(folder: str | Path) -> int:
    """Write the suite as files for people and verifiers; returns the number of tasks.

    ``folder/train`` and ``folder/heldout`` hold one ``.py`` a task, which `load_tasks`
    reads, and ``folder/solutions`` each task's CUDA solution under the same name.
    """
    for micro in suite():
        inner = Path(micro.task.family, micro.task.id.split("/")[1])
        text = Path(folder, micro.task.split, inner.with_suffix(".py"))
        solution = Path(folder, "solutions", micro.task.split, inner.with_suffix(".cu"))
        for path, content in ((text, micro.task.reference), (solution, micro.solution())):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, encoding="utf-8")
    return len(suite())


@cache
def suite() -> tuple[MicroTask, ...]:
    """Every task of leap-micro, training tasks first, in a fixed order."""
    heldout = [
        combo for name, (_, count) in PLAN.items() for combo in _choose(name, "heldout", count, ())
    ]
    reserved = frozenset(pair for combo in heldout for pair in neighbours(combo))
    train = [
        (combo, position % 2 == 0)
        for name, (count, _) in PLAN.items()
        for position, combo in enumerate(_choose(name, "train", count, reserved))
    ]
    return (
        *(_micro_task(combo, "train", seen) for combo, seen in train),
        *(_micro_task(combo, "heldout", False) for combo in heldout),
    )


def practice(count: int, seed: int = 0) -> list[MicroTask]:
    """The first ``count`` further combinations of the trained families (fewer if they end).

    None is a task of the suite, and none has a pair of neighbouring operators that is
    held out.
    """
    taken = {each.combo.key for each in suite()}
    reserved = reserved_pairs()
    trained = [name for name, (train, _) in PLAN.items() if train]
    streams = {name: _candidates(name, f"practice {seed}") for name in trained}
    found: list[MicroTask] = []
    for name in cycle(trained):
        if len(found) == count or not streams:
            return found
        for combo in streams.get(name, ()):
            if combo.key not in taken and not reserved & neighbours(combo):
                taken.add(combo.key)
                found.append(_micro_task(combo, "train", True))
                break
        else:
            streams.pop(name, None)
    return found


@cache
def open_practice() -> tuple[MicroTask, ...]:
    """The practice combinations that the cold-start corpus never shows.

    Tasks to explore: as far from the held-out ones as the suite's own training tasks,
    and with nothing to imitate.
    """
    unseen = practice(_ALL_PRACTICE)[SHOWN_PRACTICE:]
    return tuple(replace(each, cold_start=False) for each in unseen)


@cache
def reserved_pairs() -> frozenset[tuple[str, str]]:
    """Neighbouring operators that only held-out tasks have."""
    heldout = (each.combo for each in suite() if each.task.split == "heldout")
    return frozenset(pair for combo in heldout for pair in _own_pairs(combo))


def neighbours(combo: Combo) -> set[tuple[str, str]]:
    """The ordered pairs of operators that follow one another in a chain."""
    return {*pairwise(combo.before), *pairwise(combo.after)}


def _own_pairs(combo: Combo) -> set[tuple[str, str]]:
    """The pairs that a held-out combination reserves: none if its family is held out,
    since there the structure itself is what was never seen."""
    return neighbours(combo) if PLAN[combo.family][0] else set()


def _micro_task(combo: Combo, split: str, cold_start: bool) -> MicroTask:
    family = FAMILIES[combo.family]
    has_two_chains = family.before != ("",) and family.after != ("",)
    structure = combo.kind or ("_" if has_two_chains else "")
    name = "-".join(filter(None, (*combo.before, structure, *combo.after))) or "plain"
    shape = random.Random(combo.key).randrange(len(family.check))
    task = Task(
        id=f"{family.name}/{name}",
        reference=family.reference(combo, shape),
        level=family.level,
        family=family.name,
        split=split,
        input_sets=(InputSet("check"), InputSet("timing", inputs_function="get_timing_inputs")),
    )
    return MicroTask(task, combo, cold_start)


def _choose(
    name: str, split: str, count: int, reserved: frozenset[tuple[str, str]] | tuple[()]
) -> list[Combo]:
    """The first ``count`` usable combinations of a family's random order."""
    chosen: list[Combo] = []
    if not count:
        return chosen
    whole_family = PLAN[name][0] == 0
    for combo in _candidates(name, split):
        pairs = neighbours(combo)
        if split == "heldout" and not pairs and not whole_family:
            continue  # nothing about it would be unseen
        if split == "train" and pairs & set(reserved):
            continue
        chosen.append(combo)
        if len(chosen) == count:
            return chosen
    raise AssertionError(f"{name} has only {len(chosen)} combinations")


def _candidates(name: str, salt: str, attempts: int = 600) -> Iterator[Combo]:
    """Distinct informative combinations of a family, in an order fixed by ``salt``."""
    family = FAMILIES[name]
    rng = random.Random(f"leap-micro {name} {salt}")
    kinds = sorted(family.kinds)
    shapes = [(b, a) for b in family.before for a in family.after]
    rng.shuffle(kinds)
    seen: set[Combo] = set()
    for attempt in range(attempts):
        before, after = shapes[attempt // len(kinds) % len(shapes)]
        combo = Combo(
            family=name,
            kind=kinds[attempt % len(kinds)],
            before=_draw(family, before, rng),
            after=_draw(family, after, rng),
        )
        if combo not in seen and is_informative(family, combo):
            yield combo
        seen.add(combo)


def _draw(family: Family, pattern: str, rng: random.Random) -> tuple[str, ...]:
    unary = list(UNARY)
    return tuple(rng.choice(family.binaries if slot == "b" else unary) for slot in pattern)


def is_informative(family: Family, combo: Combo) -> bool:
    """Whether every operator shows in the output, and the output is not degenerate.

    The chains are tried in numpy on normal numbers: values stay where float32 is
    comfortable, the output is neither nearly zero nor nearly constant, and leaving any
    operator out changes it by far more than a tolerance.
    """
    out = _output(family, combo, combo.before, combo.after)
    spread = out.std()
    if np.abs(out).max() > 400 or np.abs(out).mean() < 0.05 or spread < 0.03:
        return False
    least = max(0.01, 0.03 * spread)
    shortened = (
        *((_without(combo.before, k), combo.after) for k in range(len(combo.before))),
        *((combo.before, _without(combo.after, k)) for k in range(len(combo.after))),
    )
    others = (_output(family, combo, *chains) for chains in shortened)
    return all(np.mean(np.abs(other - out) > least) > 0.1 for other in others)


def _without(names: tuple[str, ...], k: int) -> tuple[str, ...]:
    return names[:k] + names[k + 1 :]


def _output(family: Family, combo: Combo, before: tuple[str, ...], after: tuple[str, ...]) -> Array:
    rng = np.random.default_rng(0)
    x = family.scale * rng.standard_normal((64, 64))
    z = rng.standard_normal((64, 64))
    value = apply(before, x, z)
    if combo.kind in family.folds:
        value = family.folds[combo.kind](value)
    if family.name == "residual":
        value = value + x if combo.kind == "add" else value * x
    return apply(after, value, z)
