"""Dialogues as padded batches: a few fixed lengths, an order that a seed decides.

Batch number i is a function of (examples, seed, i), so the position in the
data is one number, and a resumed run goes on with exactly the next batch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count, islice
from typing import NamedTuple

import numpy as np

from policy_jax.data.dialogues import Dialogue
from policy_jax.data.tokenizer import Tokenizer

# Training pads to 48, 64, 96, 128, …: finer rungs cost a compilation each and save more.
# What is only evaluated pads to every second of them.
_FINE = (48, 64)
_COARSE = (64,)


@dataclass(frozen=True)
class Example:
    """One dialogue: int32 tokens [L] and its loss mask, fp32 [L], 1 on trained tokens."""

    tokens: np.ndarray
    mask: np.ndarray


class Batch(NamedTuple):
    """tokens int32 [B, L] and mask fp32 [B, L], padded on the right; padding has mask 0."""

    tokens: np.ndarray
    mask: np.ndarray


def encode(
    dialogues: Sequence[Dialogue], tokenizer: Tokenizer, max_length: int
) -> tuple[list[Example], int]:
    """Examples, and how many dialogues were left out for being longer or untrained."""
    examples = []
    for dialogue in dialogues:
        tokens, mask = tokenizer.encode_dialogue(dialogue.messages)
        if len(tokens) <= max_length and any(mask):
            examples.append(Example(np.array(tokens, np.int32), np.array(mask, np.float32)))
    return examples, len(dialogues) - len(examples)


def training_batches(
    examples: Sequence[Example], batch_size: int, max_length: int, seed: int, start: int = 0
) -> Iterator[Batch]:
    """Batches without end from number `start` on; every epoch has its own order.

    An example waits in its length's bucket until `batch_size` of them are
    there, also across the end of an epoch, so none is left out.
    """
    order = _training_order(examples, batch_size, max_length, seed)
    for length, members in islice(order, start, None):
        yield _pad([examples[index] for index in members], batch_size, length)


def validation_batches(
    examples: Sequence[Example], batch_size: int, max_length: int
) -> Iterator[Batch]:
    """Every example once, those of one length together; rows that are missing have mask 0."""
    buckets: dict[int, list[Example]] = {}
    for example in examples:
        length = padded_length(len(example.tokens), max_length, _COARSE)
        buckets.setdefault(length, []).append(example)
    for length, members in sorted(buckets.items()):
        for start in range(0, len(members), batch_size):
            yield _pad(members[start : start + batch_size], batch_size, length)


def padded_length(length: int, max_length: int, shortest: tuple[int, ...] = _FINE) -> int:
    """The smallest rung that holds `length` tokens: `shortest`, doubled again and again.

    Nothing is padded beyond `max_length`.
    """
    rungs = [
        next(rung << doublings for doublings in count() if rung << doublings >= length)
        for rung in shortest
    ]
    return min(*rungs, max_length)


def _training_order(
    examples: Sequence[Example], batch_size: int, max_length: int, seed: int
) -> Iterator[tuple[int, list[int]]]:
    waiting: dict[int, list[int]] = {}
    lengths = [padded_length(len(example.tokens), max_length) for example in examples]
    for epoch in count():
        for index in np.random.default_rng([seed, epoch]).permutation(len(examples)):
            bucket = waiting.setdefault(lengths[index], [])
            bucket.append(int(index))
            if len(bucket) == batch_size:
                yield lengths[index], waiting.pop(lengths[index])


def _pad(examples: Sequence[Example], rows: int, length: int) -> Batch:
    tokens = np.zeros((rows, length), np.int32)
    mask = np.zeros((rows, length), np.float32)
    for row, example in enumerate(examples):
        tokens[row, : len(example.tokens)] = example.tokens
        mask[row, : len(example.mask)] = example.mask
    return Batch(tokens, mask)
