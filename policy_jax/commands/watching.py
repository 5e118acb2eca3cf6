"""A sampler and a verifier that say aloud what passes through them.

The scheduler plays one rollout as it plays them in training; the person sees
each prompt, answer and verdict the moment it exists.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from rich.console import Console
from rich.text import Text

from policy_jax.commands.show import answer_view, verdict_line
from policy_jax.data.tasks import Task
from policy_jax.rollout.scheduler import (
    ChatTokenizer,
    RolloutConfig,
    Sampler,
    Scheduler,
    Verdicts,
)
from policy_jax.rollout.trajectories import Trajectory, TurnVerdict
from policy_jax.sampling import SampledTurn, SampleRequest


def watch(
    sampler: Sampler,
    verdicts: Verdicts,
    tokenizer: ChatTokenizer,
    config: RolloutConfig,
    task: Task,
    console: Console,
    step: int = 0,
) -> Trajectory:
    """Play one rollout of `task` and print it as it happens.

    `config` must have a group of one and not prune. `step` is the first part
    of the sampling key. Raises as `Scheduler.run`.
    """
    assert config.group_size == 1 and not config.prune
    scheduler = Scheduler(
        _LoudSampler(sampler, tokenizer, console),
        _LoudVerdicts(verdicts, console),
        tokenizer,
        config,
    )
    return scheduler.run([task], step)[0].trajectories[0]


class _LoudSampler:
    """Prints what the model is told and what it answers."""

    def __init__(self, sampler: Sampler, tokenizer: ChatTokenizer, console: Console) -> None:
        self._sampler = sampler
        self._tokenizer = tokenizer
        self._console = console
        self._shown = 0  # tokens of the conversation that are on the screen
        self._turns = 0

    def submit(self, request: SampleRequest) -> None:
        self._turns += 1
        prompt = self._text(request.tokens[self._shown :])
        self._console.print(
            Text(f"turn {self._turns}", style="bold"), Text(prompt, style="dim"), sep="\n"
        )
        self._shown = len(request.tokens)
        self._sampler.submit(request)

    def step(self) -> list[SampledTurn]:
        turns = self._sampler.step()
        for turn in turns:
            self._shown += len(turn.tokens)
            self._console.print(Text("answer", style="bold"))
            self._console.print(*answer_view(self._text(turn.tokens)), sep="\n")
            if turn.finish == "length":
                self._console.print(Text("→ cut by length", style="bold red"))
        return turns

    def pending(self) -> int:
        return self._sampler.pending()

    def _text(self, tokens: Sequence[int]) -> str:
        return self._tokenizer.decode(tokens).strip("\n")


class _LoudVerdicts:
    """Prints what the verifier says."""

    def __init__(self, verdicts: Verdicts, console: Console) -> None:
        self._verdicts = verdicts
        self._console = console

    def submit(self, ticket: Hashable, task: Task, source: str) -> None:
        self._verdicts.submit(ticket, task, source)

    def poll(self, timeout: float) -> list[tuple[Hashable, TurnVerdict]]:
        arrived = self._verdicts.poll(timeout)
        for _, verdict in arrived:
            facts = [f"{verdict.seconds:.1f} s"]
            line = verdict_line(verdict.outcome.value, verdict.code, verdict.message, facts)
            self._console.print(line, "", sep="\n")
        return arrived
