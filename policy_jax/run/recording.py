"""What the rollouts of a step leave behind: stored rollouts and numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from policy_jax.data.tokenizer import Tokenizer
from policy_jax.learner.advantages import rank_scores
from policy_jax.learner.rows import CreditConfig, group_advantages
from policy_jax.rollout.scheduler import Snapshot
from policy_jax.rollout.trajectories import Group, Turn
from policy_jax.telemetry import RolloutStatus, StoredRollout, StoredTurn


def stored_rollouts(
    groups: Sequence[Group],
    stage: str,
    step: int,
    tokenizer: Tokenizer,
    credit: CreditConfig | None = None,
) -> list[StoredRollout]:
    """The rollouts in the form of the store; advantages are 0 without `credit`."""
    return [
        rollout
        for group in groups
        for rollout in _stored_group(group, stage, step, tokenizer, credit)
    ]


def _stored_group(
    group: Group, stage: str, step: int, tokenizer: Tokenizer, credit: CreditConfig | None
) -> list[StoredRollout]:
    scores = rank_scores(group.solved_at, group.valid)
    if credit is None:
        advantages = [[0.0] * len(t.turns) for t in group.trajectories]
    else:
        advantages = [each.tolist() for each in group_advantages(group, credit)]
    return [
        StoredRollout(
            stage=stage,
            step=step,
            task=group.task_id,
            group=group.index,
            member=trajectory.member,
            decision=group.decision.value,
            turns=tuple(
                _stored_turn(turn, advantage, tokenizer)
                for turn, advantage in zip(trajectory.turns, turn_advantages, strict=True)
            ),
            score=float(score),
            out_of_room=trajectory.out_of_room,
        )
        for trajectory, turn_advantages, score in zip(
            group.trajectories, advantages, scores, strict=True
        )
    ]


def _stored_turn(turn: Turn, advantage: float, tokenizer: Tokenizer) -> StoredTurn:
    verdict = turn.verdict
    return StoredTurn(
        prompt=tokenizer.decode(turn.prompt_tokens),
        response=turn.text,
        outcome=verdict.outcome.value,
        code="" if verdict.code == "PASSED" else verdict.code,
        message=verdict.message,
        feedback=verdict.feedback,
        advantage=advantage,
        truncated=turn.truncated,
        seconds=verdict.seconds,
        digest=verdict.digest,
        weight_version=turn.weight_version,
        prompt_tokens=turn.prompt_tokens,
        tokens=turn.tokens,
        logprobs=turn.logprobs,
    )


def rollout_metrics(groups: Sequence[Group]) -> dict[str, float | dict[str, int]]:
    """Numbers of one batch of rollouts.

    `passed@1` and `passed` are shares of the valid rollouts; `truncation_rate`
    is a share of all turns; `verdicts` counts codes, `dcp` decisions.
    """
    trajectories = [t for group in groups for t in group.trajectories]
    turns = [turn for trajectory in trajectories for turn in trajectory.turns]
    valid = max(sum(not t.lost for t in trajectories), 1)
    return {
        "passed@1": sum(t.solved_at == 1 for t in trajectories) / valid,
        "passed": sum(t.solved_at is not None for t in trajectories) / valid,
        "lost": float(len(trajectories) - sum(not t.lost for t in trajectories)),
        "out_of_room": float(sum(t.out_of_room for t in trajectories)),
        "turns": float(len(turns)),
        "turn_tokens_mean": sum(len(t.tokens) for t in turns) / max(len(turns), 1),
        "truncation_rate": sum(turn.truncated for turn in turns) / max(len(turns), 1),
        "verdict_seconds_mean": sum(t.verdict.seconds for t in turns) / max(len(turns), 1),
        "verdicts": dict(Counter(turn.verdict.code for turn in turns)),
        "dcp": dict(Counter(group.decision.value for group in groups)),
    }


def status(snapshot: Snapshot, seconds: float) -> RolloutStatus:
    """A snapshot of the scheduler for the display; `seconds` since the batch began."""
    return RolloutStatus(
        groups={phase.value: count for phase, count in snapshot.phases.items()},
        decoding=snapshot.decoding,
        verifying=snapshot.verifying,
        passed=snapshot.passed,
        finished=snapshot.finished,
        rollouts=snapshot.rollouts,
        verdicts=dict(snapshot.codes),
        tokens_per_second=snapshot.tokens / max(seconds, 1e-3),
    )
