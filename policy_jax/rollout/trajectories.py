"""What a rollout is: turns of tokens with their verdicts, and groups of rollouts.

Token in, token out: the context of turn n + 1 is the context of turn n, the
tokens the model sampled, and the tokens of the next user message appended.
Model text is decoded to read it, never encoded again.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from policy_jax.rollout.dcp import Decision


class Outcome(Enum):
    """What a verdict means for a trajectory."""

    PASSED = "passed"
    FAILED = "failed"
    LOST = "lost"  # an infrastructure error that retries did not mend: no reward


@dataclass(frozen=True)
class TurnVerdict:
    """The verifier's judgement of one turn, as the policy side needs it."""

    outcome: Outcome
    code: str  # PASSED, the proto's Code without "CODE_", or TRUNCATED (cut by length)
    message: str = ""
    feedback: str = ""
    seconds: float = 0.0  # from submission to verdict, queues included
    digest: str = ""  # the verdict's content digest


@dataclass(frozen=True)
class UnjudgedTurn:
    """One turn: what the model was told and what it sampled.

    `prompt_tokens` are appended to the context before the model speaks; they,
    and with them an end token that we add after a truncated turn, never carry
    loss. `logprobs[k]` is log π_sampler(tokens[k]) at the sampling
    temperature; `tokens` includes the sampled end-of-turn token unless
    `truncated`.
    """

    prompt_tokens: tuple[int, ...]
    tokens: tuple[int, ...]
    logprobs: tuple[float, ...]
    truncated: bool
    weight_version: int
    text: str  # the response as decoded
    source: str | None  # the code in it


@dataclass(frozen=True)
class Turn(UnjudgedTurn):
    """One turn with what the verifier said of it."""

    verdict: TurnVerdict


@dataclass(frozen=True)
class Trajectory:
    """One finished rollout of a group."""

    task_id: str
    group: int
    member: int
    turns: tuple[Turn, ...]
    out_of_room: bool = False  # the next turn did not fit the context

    @property
    def solved_at(self) -> int | None:
        """1-based turn at which it passed, None if it never did."""
        return len(self.turns) if self.turns[-1].verdict.outcome is Outcome.PASSED else None

    @property
    def lost(self) -> bool:
        """Lost to an infrastructure error: in no ranking, in no loss."""
        return self.turns[-1].verdict.outcome is Outcome.LOST

    @property
    def tokens(self) -> tuple[int, ...]:
        """Every token of the conversation, in order."""
        return tuple(t for turn in self.turns for t in (*turn.prompt_tokens, *turn.tokens))


@dataclass(frozen=True)
class Group:
    """The rollouts of one task, with what DCP decided (or would have)."""

    task_id: str
    index: int
    trajectories: tuple[Trajectory, ...]
    decision: Decision

    @property
    def solved_at(self) -> tuple[int | None, ...]:
        """Passing turn of each member."""
        return tuple(t.solved_at for t in self.trajectories)

    @property
    def valid(self) -> tuple[bool, ...]:
        """Which members rank."""
        return tuple(not t.lost for t in self.trajectories)
