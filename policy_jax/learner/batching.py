"""Rows of any length become micro-batches of few shapes.

Shapes come from a fixed ladder, so that the train step compiles a handful of
times and never again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from policy_jax.learner.losses import TokenBatch
from policy_jax.learner.rows import Row


@dataclass(frozen=True)
class Ladder:
    """The lengths that rows are padded to (ascending), and positions a micro-batch."""

    lengths: tuple[int, ...]
    tokens: int

    @classmethod
    def up_to(cls, longest: int, tokens: int) -> Ladder:
        """Doubling lengths from 64 on, and `longest`: few shapes to compile."""
        lengths, rung = [], 64
        while rung < longest:
            lengths.append(rung)
            rung *= 2
        return cls((*lengths, longest), tokens)

    def shape(self, length: int) -> tuple[int, int]:
        """(rows, padded length) of the micro-batch whose longest row has `length`.

        Raises ValueError if no rung is long enough.
        """
        for rung in self.lengths:
            if rung >= length:
                return max(1, self.tokens // rung), rung
        raise ValueError(f"a trajectory of {length} tokens exceeds the limit {self.lengths[-1]}")


class MicroBatch(NamedTuple):
    """Packed rows [B, L]; unknown log-probs are zeros."""

    indices: tuple[int, ...]  # which rows, line by line; further lines are empty (mask 0)
    batch: TokenBatch
    old_logprobs: jax.Array
    reference_logprobs: jax.Array


def pack(rows: Sequence[Row], ladder: Ladder) -> Iterator[MicroBatch]:
    """Cut rows into micro-batches of the ladder's shapes, the longest first.

    Only the last micro-batch can have empty lines.
    """
    order = sorted(range(len(rows)), key=lambda i: (-len(rows[i].tokens), i))
    while order:
        shape = ladder.shape(len(rows[order[0]].tokens))
        indices, order = tuple(order[: shape[0]]), order[shape[0] :]
        taken = [rows[i] for i in indices]
        yield MicroBatch(
            indices,
            TokenBatch(
                tokens=_grid(shape, [row.tokens for row in taken], np.int32),
                loss_mask=_grid(shape, [row.loss_mask for row in taken]),
                advantages=_grid(shape, [row.advantages for row in taken]),
                sampler_logprobs=_grid(shape, [row.sampler_logprobs for row in taken]),
            ),
            _grid(shape, [row.old_logprobs for row in taken]),
            _grid(shape, [row.reference_logprobs for row in taken]),
        )


def _grid(
    shape: tuple[int, int],
    lines: Sequence[np.ndarray | None],
    dtype: type[np.generic] = np.float32,
) -> jax.Array:
    cells = np.zeros(shape, dtype)
    for cell, line in zip(cells, lines, strict=False):
        if line is not None:
            cell[: len(line)] = line
    return jnp.asarray(cells)
