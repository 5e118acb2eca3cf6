"""From groups of rollouts to rows of tokens with masks and advantages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from policy_jax.learner.advantages import Credit, rank_scores, turn_advantages
from policy_jax.rollout.trajectories import Group, Trajectory


@dataclass(frozen=True)
class CreditConfig:
    """How verdicts become advantages.

    `discount`: γ of the turn credit. `credit`: see `turn_advantages`.
    `train_truncated`: whether turns cut by length are in the loss.
    """

    discount: float = 0.5
    credit: Credit = "paper"
    train_truncated: bool = False


@dataclass(frozen=True)
class Row:
    """One trajectory, position by position; all arrays [length].

    `loss_mask` is 1.0 where tokens[t] is a trained token of the model, carried
    from generation: prompts, feedback and ends that we appended are 0.
    `old_logprobs` and `reference_logprobs` are the learner's own, once computed.
    """

    group: int
    tokens: np.ndarray  # int32
    loss_mask: np.ndarray  # float32
    advantages: np.ndarray  # float32
    sampler_logprobs: np.ndarray  # float32
    old_logprobs: np.ndarray | None = None  # float32
    reference_logprobs: np.ndarray | None = None  # float32

    @property
    def trained_tokens(self) -> int:
        """Tokens that count in the loss's denominator."""
        return int(self.loss_mask.sum())

    @property
    def has_signal(self) -> bool:
        """Whether any trained token has an advantage."""
        return bool(np.any(self.advantages[self.loss_mask > 0]))


def rows_of(group: Group, config: CreditConfig) -> list[Row]:
    """One row for each valid member of a group, those of zero advantage included."""
    return [
        _row(trajectory, group.index, advantages, config.train_truncated)
        for trajectory, advantages in zip(
            group.trajectories, group_advantages(group, config), strict=True
        )
        if not trajectory.lost
    ]


def group_advantages(group: Group, config: CreditConfig) -> list[np.ndarray]:
    """The advantage of each turn of each member (0 for the lost), float64 [turns] each."""
    scores = rank_scores(group.solved_at, group.valid)
    return [
        turn_advantages(
            float(score),
            len(trajectory.turns),
            trajectory.solved_at is not None,
            config.discount,
            config.credit,
        )
        for trajectory, score in zip(group.trajectories, scores, strict=True)
    ]


def advantage_metrics(groups: Sequence[Group], config: CreditConfig) -> dict[str, float]:
    """What the turn credit does to a batch.

    `passing_turns_punished`: the share of passing turns whose advantage is
    negative. `advantage_token_mean`: the mean advantage over trained tokens,
    which turn credit leaves different from 0. `groups_with_signal`: the share
    of groups whose members are not all tied.
    """
    passing, weighted, tokens, with_signal = [], 0.0, 0, 0
    for group in groups:
        all_advantages = group_advantages(group, config)
        with_signal += any(advantages.any() for advantages in all_advantages)
        for trajectory, advantages in zip(group.trajectories, all_advantages, strict=True):
            if trajectory.solved_at is not None:
                passing.append(advantages[-1] < 0)
            if trajectory.lost:
                continue
            for turn, advantage in zip(trajectory.turns, advantages, strict=True):
                if config.train_truncated or not turn.truncated:
                    weighted += float(advantage) * len(turn.tokens)
                    tokens += len(turn.tokens)
    return {
        "passing_turns_punished": float(np.mean(passing)) if passing else 0.0,
        "advantage_token_mean": weighted / max(tokens, 1),
        "groups_with_signal": with_signal / max(len(groups), 1),
    }


def _row(trajectory: Trajectory, group: int, credits: np.ndarray, train_truncated: bool) -> Row:
    tokens: list[int] = []
    mask: list[float] = []
    advantages: list[float] = []
    logprobs: list[float] = []
    for turn, credit in zip(trajectory.turns, credits, strict=True):
        trained = float(train_truncated or not turn.truncated)
        told, said = len(turn.prompt_tokens), len(turn.tokens)
        tokens += [*turn.prompt_tokens, *turn.tokens]
        mask += [0.0] * told + [trained] * said
        advantages += [0.0] * told + [float(credit)] * said
        logprobs += [0.0] * told + list(turn.logprobs)
    return Row(
        group=group,
        tokens=np.array(tokens, np.int32),
        loss_mask=np.array(mask, np.float32),
        advantages=np.array(advantages, np.float32),
        sampler_logprobs=np.array(logprobs, np.float32),
    )
