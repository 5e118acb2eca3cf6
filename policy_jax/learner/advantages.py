"""Rank-based advantages and their credit to turns (LEAP, arXiv 2608.01804).

Inside a group: passed at turn 1 ≻ passed at turn 2 ≻ … ≻ failed. All of this
is a handful of numbers a group, so it is plain numpy on the host.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

Credit = Literal["paper", "spare_passing_turn"]


def rank_scores(solved_at: Sequence[int | None], valid: Sequence[bool]) -> np.ndarray:
    """score_i = (beaten_i − beaten_by_i) / (G − 1), float64 [G] in [−1, 1].

    `solved_at[i]` is the 1-based turn at which member i passed, None if it
    never did; a member with `valid[i]` False was lost to an infrastructure
    error: it ranks against nobody and scores 0. G counts the valid members;
    with fewer than two of them every score is 0. Ties count for nothing, so a
    homogeneous group is exactly 0, and scores always sum to 0.
    """
    keys = np.array([np.inf if turn is None else turn for turn in solved_at])
    ranked = np.asarray(valid, dtype=bool)
    members = int(ranked.sum())
    if members < 2:
        return np.zeros(len(keys))
    pairs = np.outer(ranked, ranked)
    beats = (keys[:, None] < keys[None, :]) & pairs
    return (beats.sum(axis=1) - beats.sum(axis=0)) / (members - 1)


def turn_advantages(
    score: float,
    turns: int,
    solved: bool,
    discount: float,
    credit: Credit = "paper",
) -> np.ndarray:
    """The advantage of each turn of one trajectory, float64 [turns].

    score > 0: the passing turn T gets it whole, turn t gets γ^(T−t)·score,
    with γ = `discount`. score < 0: every turn gets it, the passing turn too
    (a repair where most peers needed none is punished). With credit
    `spare_passing_turn` a passing turn's negative advantage becomes 0. The
    sum over turns is not zero in general; only trajectory scores are.
    """
    if score > 0:
        return score * discount ** np.arange(turns - 1, -1, -1, dtype=float)
    advantages = np.full(turns, score, dtype=float)
    if solved and credit == "spare_passing_turn":
        advantages[-1] = 0.0
    return advantages
