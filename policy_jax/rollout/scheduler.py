"""Rollouts between the sampler and the verifier.

The accelerator decodes whatever turn is ready while other groups wait for
their verdicts. Sampling is keyed by (step, group, member, turn), so the order
in which verdicts arrive changes no sample; it only moves work in time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Protocol

from policy_jax.data.tasks import Task
from policy_jax.rollout import prompts
from policy_jax.rollout.dcp import Decision, Thresholds
from policy_jax.rollout.groups import LiveGroup, LiveMember, MemberState, Phase
from policy_jax.rollout.trajectories import Group, Outcome, Turn, TurnVerdict, UnjudgedTurn
from policy_jax.sampling import SampledTurn, SampleRequest

_IDLE_SECONDS = 0.05  # how long to wait for a verdict when nothing decodes


class Sampler(Protocol):
    """The part of `sampling.Engine` that a scheduler uses."""

    def submit(self, request: SampleRequest) -> None: ...

    def step(self) -> list[SampledTurn]: ...

    def pending(self) -> int: ...


class Verdicts(Protocol):
    """Where sources go and verdicts come from; see `verifying.VerifierSession`."""

    def submit(self, ticket: Hashable, task: Task, source: str) -> None: ...

    def poll(self, timeout: float) -> list[tuple[Hashable, TurnVerdict]]: ...


class ChatTokenizer(Protocol):
    """The part of `data.Tokenizer` that a scheduler uses."""

    user_id: int
    assistant_id: int
    end_id: int

    def encode(self, text: str) -> list[int]: ...

    def decode(self, tokens: Sequence[int]) -> str: ...


@dataclass(frozen=True)
class RolloutConfig:
    """Shape of a rollout.

    `max_new_tokens`: of one turn. `max_feedback_tokens`: the feedback is cut
    to it. `max_context`: of the whole conversation; where feedback and a full
    next turn do not fit, the rollout ends as failed. `prune`: False gives
    every failure all its turns (evaluation); what DCP would have decided is
    recorded either way.
    """

    group_size: int
    max_turns: int
    max_new_tokens: int
    max_feedback_tokens: int
    max_context: int
    thresholds: Thresholds
    prune: bool = True


@dataclass(frozen=True)
class Snapshot:
    """How the rollouts of a batch stand."""

    phases: Counter[Phase]  # groups by phase
    decoding: int  # turns at the sampler
    verifying: int  # turns at the verifier
    passed: int  # rollouts
    finished: int
    rollouts: int
    codes: Counter[str]  # verdicts by code, PASSED for a pass
    tokens: int  # sampled in judged turns


class Interrupted(Exception):
    """The run was asked to stop; nothing of this batch of rollouts is kept."""


class Scheduler:
    """Runs the rollouts of a batch of tasks to their end."""

    def __init__(
        self, sampler: Sampler, verdicts: Verdicts, tokenizer: ChatTokenizer, config: RolloutConfig
    ) -> None:
        self._sampler = sampler
        self._verdicts = verdicts
        self._tokenizer = tokenizer
        self._config = config

    def run(
        self,
        tasks: Sequence[Task],
        step: int,
        on_progress: Callable[[Snapshot], None] = lambda snapshot: None,
        should_stop: Callable[[], bool] = lambda: False,
    ) -> list[Group]:
        """One group of rollouts for each task, in the order of `tasks`.

        `step` is the first part of the sampling key. Raises Interrupted when
        `should_stop` says so, ValueError (one sentence) if a prompt leaves no
        room for a turn, and what the verifier's session raises when it is gone.
        """
        groups = [self._new_group(index, task) for index, task in enumerate(tasks)]
        for group in groups:
            for member in range(len(group.members)):
                self._sample(group, member, step)
        while any(group.phase is not Phase.DONE for group in groups):
            if should_stop():
                raise Interrupted
            for sampled in self._sampler.step() if self._sampler.pending() else ():
                self._on_sampled(groups, sampled, step)
            for ticket, verdict in self._verdicts.poll(self._patience()):
                self._on_verdict(groups, ticket, verdict, step)
            on_progress(_snapshot(groups))
        return [group.finished() for group in groups]

    def _patience(self) -> float:
        """Seconds to wait for a verdict: none while there is something to decode."""
        return 0.0 if self._sampler.pending() else _IDLE_SECONDS

    def _new_group(self, index: int, task: Task) -> LiveGroup:
        prompt = self._user_message(self._tokenizer.encode(prompts.first_prompt(task)))
        if not self._fits(len(prompt)):
            raise ValueError(
                f"task {task.id}: a prompt of {len(prompt)} tokens leaves no room for a turn of "
                f"{self._config.max_new_tokens} in a context of {self._config.max_context}; "
                "raise the context or drop the task"
            )
        return LiveGroup(index, task, [LiveMember(prompt) for _ in range(self._config.group_size)])

    def _user_message(self, text: Sequence[int]) -> tuple[int, ...]:
        """The user's message, closed, and the opening of the assistant's."""
        chat = self._tokenizer
        return (chat.user_id, *text, chat.end_id, chat.assistant_id)

    def _fits(self, length: int) -> bool:
        return length + self._config.max_new_tokens <= self._config.max_context

    def _sample(self, group: LiveGroup, m: int, step: int) -> None:
        member = group.members[m]
        member.state = MemberState.SAMPLING
        self._sampler.submit(
            SampleRequest(
                request_id=(group.index, m),
                key=(step, group.index, m, len(member.turns)),
                tokens=member.context + member.prompt_tokens,
                max_new_tokens=self._config.max_new_tokens,
            )
        )

    def _on_sampled(self, groups: Sequence[LiveGroup], sampled: SampledTurn, step: int) -> None:
        g, m = _address(sampled.request_id)
        member = groups[g].members[m]
        member.state = MemberState.VERIFYING
        member.unjudged = self._turn(member.prompt_tokens, sampled)
        if member.unjudged.truncated:
            # Not an answer: failed, and the verifier is not asked.
            verdict = TurnVerdict(Outcome.FAILED, "TRUNCATED", feedback=prompts.cut_off())
            self._on_verdict(groups, sampled.request_id, verdict, step)
        else:
            self._verdicts.submit((g, m), groups[g].task, member.unjudged.source or "")

    def _turn(self, prompt_tokens: tuple[int, ...], sampled: SampledTurn) -> UnjudgedTurn:
        truncated = sampled.finish == "length"
        text = self._tokenizer.decode(sampled.tokens if truncated else sampled.tokens[:-1])
        return UnjudgedTurn(
            prompt_tokens=prompt_tokens,
            tokens=sampled.tokens,
            logprobs=sampled.logprobs,
            truncated=truncated,
            weight_version=sampled.weight_version,
            text=text,
            source=None if truncated else prompts.extract_code(text),
        )

    def _on_verdict(
        self, groups: Sequence[LiveGroup], ticket: Hashable, verdict: TurnVerdict, step: int
    ) -> None:
        g, m = _address(ticket)
        group = groups[g]
        group.members[m].record(verdict)
        group.settle(self._config.thresholds)
        for index, member in enumerate(group.members):
            if member.state is MemberState.WAITING:
                self._go_on(group, index, step)

    def _go_on(self, group: LiveGroup, m: int, step: int) -> None:
        """Start the next turn of a failed member, end it, or leave it waiting."""
        member = group.members[m]
        if len(member.turns) == self._config.max_turns:
            member.state = MemberState.DONE
        elif self._config.prune and group.decision is None:
            return
        elif self._config.prune and group.decision is not Decision.DEBUG:
            member.state = MemberState.DONE
        else:
            member.prompt_tokens = self._feedback_tokens(member.turns[-1])
            if self._fits(len(member.context) + len(member.prompt_tokens)):
                self._sample(group, m, step)
            else:
                member.out_of_room = True
                member.state = MemberState.DONE

    def _feedback_tokens(self, failed: Turn) -> tuple[int, ...]:
        """What to append after a failed turn; after a truncated one, its end too."""
        text = failed.verdict.feedback or failed.verdict.message
        kept = self._tokenizer.encode(text)[: self._config.max_feedback_tokens]
        message = prompts.feedback_prompt(self._tokenizer.decode(kept))
        end = (self._tokenizer.end_id,) if failed.truncated else ()
        return end + self._user_message(self._tokenizer.encode(message))


def _address(ticket: Hashable) -> tuple[int, int]:
    """(group, member) of a request; at most one request of a member is under way."""
    assert isinstance(ticket, tuple)
    return ticket


def _snapshot(groups: Sequence[LiveGroup]) -> Snapshot:
    members = [member for group in groups for member in group.members]
    turns = [turn for member in members for turn in member.turns]
    states = Counter(member.state for member in members)
    return Snapshot(
        phases=Counter(group.phase for group in groups),
        decoding=states[MemberState.SAMPLING],
        verifying=states[MemberState.VERIFYING],
        passed=sum(member.passed for member in members),
        finished=states[MemberState.DONE],
        rollouts=len(members),
        codes=Counter(turn.verdict.code for turn in turns),
        tokens=sum(len(turn.tokens) for turn in turns),
    )
