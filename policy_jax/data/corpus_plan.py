"""What the cold-start corpus should hold, before the verifier has had its say."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

from policy_jax.data.dialogues import Dialogue
from policy_jax.data.leakage import gives_away
from policy_jax.data.micro import SHOWN_PRACTICE, MicroTask, practice, suite
from policy_jax.data.micro.bugs import plant
from policy_jax.data.micro.styles import STYLES
from policy_jax.data.tasks import Task
from policy_jax.data.tokenizer import Message
from policy_jax.rollout.prompts import feedback_prompt, first_prompt

STYLE_WEIGHTS = {"plain": 7, "named_launch": 2, "early_return": 1}


@dataclass(frozen=True)
class Draft:
    """A dialogue to be verified: wrong kernels in order, then the right one.

    ``bugs`` names what was planted into each of ``wrong``.
    """

    task: Task
    style: str
    right: str
    wrong: tuple[str, ...] = ()
    bugs: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Names the draft in a corpus, for example ``chain/relu-half plain 1``."""
        return " ".join((self.task.id, self.style, *self.bugs))


@dataclass(frozen=True)
class Plan:
    """How much to write.

    ``practice`` further combinations stand beside the half of the training tasks that
    the corpus may show. Every combination has one solution, in one style, and
    ``debugging`` dialogues on average. ``rows`` keeps a random part of that.
    """

    practice: int = SHOWN_PRACTICE
    debugging: float = 0.2
    rows: int | None = None
    seed: int = 0


def drafts(plan: Plan) -> list[Draft]:
    """Every draft of a plan, in a fixed order without repetition."""
    shown = [each for each in suite() if each.cold_start]
    found: dict[str, Draft] = {}
    for micro in (*shown, *practice(plan.practice, plan.seed)):
        for draft in _drafts_of(micro, plan):
            found.setdefault(draft.name, draft)
    wanted = list(found.values())
    if plan.rows is None or plan.rows >= len(wanted):
        return wanted
    kept = random.Random(plan.seed).sample(range(len(wanted)), plan.rows)
    return [wanted[k] for k in sorted(kept)]


def _drafts_of(micro: MicroTask, plan: Plan) -> list[Draft]:
    rng = random.Random(f"{plan.seed} {micro.task.id}")
    (style,) = rng.choices(list(STYLE_WEIGHTS), list(STYLE_WEIGHTS.values()))
    right = STYLES[style](micro.solution())
    found = [Draft(micro.task, style, right)]
    for _ in range(int(plan.debugging) + (rng.random() < plan.debugging % 1)):
        turns = 2 if rng.random() < 0.15 else 1
        bugs, wrong = zip(*(_plant(right, rng) for _ in range(turns)), strict=True)
        found.append(Draft(micro.task, style, right, wrong, bugs))
    return found


def _plant(source: str, rng: random.Random) -> tuple[str, str]:
    """A bug that is not by accident the solution of a held-out task."""
    while True:
        bug, wrong = plant(source, rng)
        if not gives_away(wrong):
            return bug, wrong


def dialogue(task: Task, sources: Sequence[str], feedback: Sequence[str]) -> Dialogue:
    """The chat of kernels in order and the verifier's feedback on all but the last.

    Only the last kernel, which is right, is trained.
    """
    messages: list[Message] = [{"role": "user", "content": first_prompt(task)}]
    for source, text in zip(sources[:-1], feedback, strict=True):
        messages.append({"role": "assistant", "content": answer(source), "train": False})
        messages.append({"role": "user", "content": feedback_prompt(text)})
    messages.append({"role": "assistant", "content": answer(sources[-1]), "train": True})
    return Dialogue(task.id, tuple(messages))


def answer(source: str) -> str:
    """An assistant's message: the CUDA source in a code fence."""
    return f"```cuda\n{source}```"


def draft_dialogues(plan: Plan | None = None) -> list[Dialogue]:
    """Dialogues that no verifier has seen, for experiments with the learner's speed.

    Wrong kernels stand beside a line that names the bug in place of real feedback.
    Never train a policy that counts on these.
    """
    return [
        dialogue(each.task, (*each.wrong, each.right), [f"FAILED: {bug}." for bug in each.bugs])
        for each in drafts(plan or Plan())
    ]
