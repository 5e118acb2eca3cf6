"""The state of rollouts that are under way.

A group is SAMPLING while a first turn decodes, VERIFYING until DCP's decision
is certain, DEBUGGING while failed members take further turns, then DONE.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum

from policy_jax.data.tasks import Task
from policy_jax.rollout.dcp import Decision, FirstTurns, Thresholds, decide
from policy_jax.rollout.trajectories import (
    Group,
    Outcome,
    Trajectory,
    Turn,
    TurnVerdict,
    UnjudgedTurn,
)


class Phase(Enum):
    """Where a group stands."""

    SAMPLING = "sampling"
    VERIFYING = "verifying"
    DEBUGGING = "debugging"
    DONE = "done"


class MemberState(Enum):
    """Where one rollout of a group stands."""

    SAMPLING = "sampling"
    VERIFYING = "verifying"
    WAITING = "waiting"  # failed; whether it goes on is for the group to decide
    DONE = "done"


@dataclass
class LiveMember:
    """One rollout under way.

    `context`: every token up to and with the last judged turn.
    `prompt_tokens`: what is appended to it before the model speaks next.
    `unjudged`: the turn that is at the verifier.
    """

    prompt_tokens: tuple[int, ...]
    context: tuple[int, ...] = ()
    state: MemberState = MemberState.SAMPLING
    turns: list[Turn] = field(default_factory=list)
    unjudged: UnjudgedTurn | None = None
    out_of_room: bool = False

    def record(self, verdict: TurnVerdict) -> None:
        """Take the verdict on the turn; the rollout ends unless it may be repaired."""
        assert self.unjudged is not None
        turn = Turn(**vars(self.unjudged), verdict=verdict)
        self.unjudged = None
        self.turns.append(turn)
        self.context += turn.prompt_tokens + turn.tokens
        failed = verdict.outcome is Outcome.FAILED
        self.state = MemberState.WAITING if failed else MemberState.DONE

    @property
    def passed(self) -> bool:
        """Whether its last turn passed."""
        return bool(self.turns) and self.turns[-1].verdict.outcome is Outcome.PASSED


@dataclass
class LiveGroup:
    """The rollouts of one task under way."""

    index: int
    task: Task
    members: list[LiveMember]
    decision: Decision | None = None

    @property
    def first_turns(self) -> FirstTurns:
        """How the first turns stand."""
        outcomes = Counter(m.turns[0].verdict.outcome if m.turns else None for m in self.members)
        return FirstTurns(
            passed=outcomes[Outcome.PASSED],
            failed=outcomes[Outcome.FAILED],
            lost=outcomes[Outcome.LOST],
            pending=outcomes[None],
        )

    def settle(self, thresholds: Thresholds) -> None:
        """Take DCP's decision once it is certain; a decision is final."""
        if self.decision is None:
            self.decision = decide(self.first_turns, thresholds)

    @property
    def phase(self) -> Phase:
        """Where the group stands."""
        if all(m.state is MemberState.DONE for m in self.members):
            return Phase.DONE
        if self.decision is not None:
            return Phase.DEBUGGING
        if any(m.state is MemberState.SAMPLING for m in self.members):
            return Phase.SAMPLING
        return Phase.VERIFYING

    def finished(self) -> Group:
        """The group as a record, once it is DONE."""
        assert self.decision is not None
        return Group(
            task_id=self.task.id,
            index=self.index,
            trajectories=tuple(
                Trajectory(self.task.id, self.index, m, tuple(member.turns), member.out_of_room)
                for m, member in enumerate(self.members)
            ),
            decision=self.decision,
        )
